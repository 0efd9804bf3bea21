import {
  fitPlace,
  movePlace,
  toPicturePoint,
  zoomPlace,
  type PictureFrame,
  type PicturePlace,
} from "@/components/recording/picture/picture-place";
import type { Bounds, Point } from "@/domain/annotations/geometry";

/** Which part of the picture the stage shows. Pixels of the stage are CSS pixels. */
export class ViewPlace {
  private chosen: PicturePlace | null = null;
  private panel = { width: 0, height: 0 };

  /** Frame and place together: another object whenever one of them changed. */
  placed: { frame: PictureFrame; place: PicturePlace };

  constructor(
    private picture: { width: number; height: number },
    private readonly onMove: () => void,
  ) {
    this.placed = { frame: this.frame, place: this.place };
  }

  private onChange(): void {
    this.placed = { frame: this.frame, place: this.place };
    this.onMove();
  }

  get frame(): PictureFrame {
    return { panel: this.panel, picture: this.picture, rotation: 0, mirrored: false };
  }
  get place(): PicturePlace {
    return this.chosen ?? fitPlace(this.frame);
  }
  /** Pixels of the stage for one of the picture. */
  get scale(): number {
    return this.place.scale;
  }
  get isFitted(): boolean {
    return this.chosen === null;
  }

  setPicture(picture: { width: number; height: number }): void {
    if (picture.width === this.picture.width && picture.height === this.picture.height) return;
    this.picture = picture;
    this.onChange();
  }

  setPanel(width: number, height: number): void {
    if (width === this.panel.width && height === this.panel.height) return;
    this.panel = { width, height };
    this.onChange();
  }

  /** The place of the picture at a place of the stage. */
  toPicture([x, y]: Point): Point {
    const at = toPicturePoint(this.frame, this.place, { x, y });
    return [at.x, at.y];
  }

  /** The place of the stage at a place of the picture. */
  toStage([x, y]: Point): Point {
    const { place, panel } = this;
    return [(x - place.x) * place.scale + panel.width / 2, (y - place.y) * place.scale + panel.height / 2];
  }

  /** The part of the picture's plane that is seen. */
  get seen(): Bounds {
    const [left, top] = this.toPicture([0, 0]);
    const [right, bottom] = this.toPicture([this.panel.width, this.panel.height]);
    return { left, top, right, bottom };
  }

  private set(place: PicturePlace | null): void {
    this.chosen = place;
    this.onChange();
  }

  fit(): void {
    this.set(null);
  }

  /** Enlarges around a place of the stage, by default its middle. */
  zoom(factor: number, [x, y]: Point = [this.panel.width / 2, this.panel.height / 2]): void {
    this.set(zoomPlace(this.frame, this.place, { x, y }, factor));
  }

  full(): void {
    this.zoom(1 / this.scale);
  }

  move(dx: number, dy: number): void {
    this.set(movePlace(this.frame, this.place, dx, dy));
  }

  /** Shows a part of the picture with some of what is around it. */
  show({ left, top, right, bottom }: Bounds): void {
    const { width, height } = this.panel;
    const margin = 1.4;
    const scale = Math.min(
      16,
      width / Math.max(1, (right - left) * margin),
      height / Math.max(1, (bottom - top) * margin),
    );
    if (scale > 0) this.set({ scale, x: (left + right) / 2, y: (top + bottom) / 2 });
  }

  /** Moves as little as is needed to see a place. */
  reveal(at: Point): void {
    const [x, y] = this.toStage(at);
    const { width, height } = this.panel;
    const margin = Math.min(24, width / 4, height / 4);
    const push = (value: number, end: number) =>
      value < margin ? margin - value : value > end - margin ? end - margin - value : 0;
    const [dx, dy] = [push(x, width), push(y, height)];
    if (dx !== 0 || dy !== 0) this.move(dx, dy);
  }
}
