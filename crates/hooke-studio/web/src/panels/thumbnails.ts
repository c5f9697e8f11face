// Pictures of scenes, asked for when their card is seen and a few at a time: each takes the server a
// while to draw, and a browser asks a server only so many things at once.

import { thumbnail } from "../api";

const AT_ONCE = 2;

export class Thumbnails {
  private readonly waiting: HTMLImageElement[] = [];
  private loading = 0;
  private readonly seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      this.seen.unobserve(target);
      this.waiting.push(target as HTMLImageElement);
    }
    this.next();
  });

  /** Fills a picture with that of a scene, in order of request. */
  fill(picture: HTMLImageElement, scene: string): void {
    picture.dataset.picture = scene;
    this.seen.observe(picture);
  }

  private next(): void {
    while (this.loading < AT_ONCE) {
      const picture = this.waiting.shift();
      if (!picture) return;
      this.loading += 1;
      void this.load(picture).finally(() => {
        this.loading -= 1;
        this.next();
      });
    }
  }

  /** Fetches a picture, as the element itself cannot show the key. */
  private async load(picture: HTMLImageElement): Promise<void> {
    try {
      const address = URL.createObjectURL(await thumbnail(picture.dataset.picture ?? ""));
      picture.onload = picture.onerror = () => URL.revokeObjectURL(address);
      picture.src = address;
    } catch {
      // There is no picture of it.
    }
  }
}
