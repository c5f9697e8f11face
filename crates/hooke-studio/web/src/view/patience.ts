// How finely the picture is drawn: as finely as the screen is, but coarser while things move on a
// machine that cannot keep up, and fine again when they rest.

/** Longer than this between two pictures (ms) is slow. */
const SLOW = 60;
/** Rest (ms) after which the fine picture is drawn. */
const REST = 400;
const COARSEST = 0.5;
const COUNT = 6;

export class Patience {
  private readonly finest = Math.min(devicePixelRatio, 2);
  private moving = this.finest;
  private last = 0;
  private slow = 0;
  private resting = true;

  get ratio(): number {
    return this.resting ? this.finest : this.moving;
  }

  /** Called once per turn of the screen; whether the ratio is another now. */
  changed(drawing: boolean): boolean {
    const before = this.ratio;
    const now = performance.now();
    if (!drawing) {
      if (now - this.last > REST) this.resting = true;
      return this.ratio !== before;
    }
    const gap = now - this.last;
    this.last = now;
    if (gap < REST) {
      this.slow = gap > SLOW ? this.slow + 1 : Math.max(this.slow - 1, 0);
      if (this.slow > COUNT && this.moving > COARSEST) {
        this.moving = Math.max(this.moving / 1.5, COARSEST);
        this.slow = 0;
      }
      this.resting = false;
    }
    return this.ratio !== before;
  }
}
