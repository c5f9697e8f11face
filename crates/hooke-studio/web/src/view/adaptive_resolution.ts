// How finely the picture is drawn: as finely as the screen is, but coarser while things move on a
// machine that cannot keep up, and fine again when they rest.

/** Longer than this between two pictures (ms) is slow. */
const SLOW = 60;
/** Rest (ms) after which the fine picture is drawn. */
const REST = 500;
const COARSEST = 0.4;
/** So many slow pictures in a row make it coarser. */
const COUNT = 3;

/** Whether pictures are drawn by the processor: smoothed edges and fine shadows are then too dear. */
export function isSoftware(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(context?.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class AdaptiveResolution {
  private readonly finest: number;
  private moving: number;

  /** A picture drawn by the processor has no smoothed edges: at rest it is drawn finer instead. */
  constructor(software: boolean) {
    this.finest = software ? 2 : Math.min(devicePixelRatio, 2);
    this.moving = software ? COARSEST : this.finest;
  }

  private refreshed = 0;
  private drawn = 0;
  private drewBefore = false;
  private slow = 0;
  resting = true;

  get ratio(): number {
    return this.resting ? this.finest : this.moving;
  }

  /** Called at every refresh of the screen; whether the ratio changed. */
  changed(drawing: boolean): boolean {
    const before = this.ratio;
    const now = performance.now();
    // What was drawn at the last refresh delayed this one.
    if (this.drewBefore) this.slow = now - this.refreshed > SLOW ? this.slow + 1 : 0;
    if (this.slow >= COUNT && this.moving > COARSEST) {
      this.moving = Math.max(this.moving / 1.5, COARSEST);
      this.slow = 0;
    }
    if (drawing) {
      this.resting = false;
      this.drawn = now;
    } else if (now - this.drawn > REST) this.resting = true;
    this.refreshed = now;
    this.drewBefore = drawing;
    return this.ratio !== before;
  }
}
