import type { DraftShape } from "@/domain/annotations/draft-schema";
import {
  areTouching,
  boundPoints,
  joinBounds,
  toBounds,
  widen,
  type Bounds,
  type Point,
} from "@/domain/annotations/geometry";
import { getKind } from "../shapes/shape-kinds";
import type { DrawChange } from "../store/editor-snapshot";
import type { EditorStore } from "../store/editor-store";
import { pickShapes } from "../store/selection";
import { boundShapes } from "../tools/select";
import { drawDashed, drawDot, drawHandle, drawMinus, drawStem, ShapeDrawer, type Context } from "./draw-shape";

/** Milliseconds after which an enlarged drawing is made sharp. */
const sharpAfterMs = 120;
/** CSS pixels around a shape that its lines, handles and initial may cover. */
const margin = 16;
/** Shapes in view from which they are drawn with fewer lines and without initials. */
const crowdedFrom = 600;
/** Changed shapes from which all are drawn anew. */
const maxPatches = 60;
const accent = "#38bdf8";

interface Transform {
  scale: number;
  x: number;
  y: number;
}

/**
 * Draws the shapes: those that rest in a picture of their own, made once and moved with the stage, and above it, on another
 * canvas, what is being changed. So that a drag redraws one shape, however many there are.
 */
export class StageDrawing {
  private readonly still: CanvasRenderingContext2D;
  private readonly active: CanvasRenderingContext2D;
  private readonly scene: OffscreenCanvasRenderingContext2D;
  private drawer: ShapeDrawer;
  private ratio = 1;
  /** Where the scene was drawn for; null: it has to be drawn. */
  private drawnFor: Transform | null = null;
  /** The bounds in which each shape was drawn last. */
  private readonly drawnAt = new Map<string, Bounds>();
  /** What the tool draws instead of the scene. */
  private lifted: ReadonlySet<string> = new Set();
  private patched = new Set<string>();
  private isCrowded = false;
  private isPlaceNew = true;
  private isActiveNew = true;
  private cleared: Bounds | null = null;
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stop: () => void;

  constructor(
    private readonly store: EditorStore,
    stillCanvas: HTMLCanvasElement,
    activeCanvas: HTMLCanvasElement,
  ) {
    const [still, active] = [stillCanvas.getContext("2d"), activeCanvas.getContext("2d")];
    const scene = new OffscreenCanvas(1, 1).getContext("2d");
    if (!still || !active || !scene) throw new Error("This browser draws no canvas.");
    [this.still, this.active, this.scene] = [still, active, scene];
    this.drawer = new ShapeDrawer(store.getLabel);
    this.stop = store.onDraw((change) => this.note(change));
    this.plan();
  }

  dispose(): void {
    this.stop();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
  }

  private note(change: DrawChange): void {
    if (change.what === "place") this.isPlaceNew = true;
    else if (change.what === "shapes" && change.ids === null) {
      this.drawnFor = null;
      // Labels may have others colours and edges.
      this.drawer = new ShapeDrawer(this.store.getLabel);
    } else if (change.what === "shapes") for (const id of change.ids ?? []) this.patched.add(id);
    this.isActiveNew = true;
    this.plan();
  }

  private plan(): void {
    if (this.frame === 0)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.render();
      });
  }

  private get transform(): Transform {
    const { scale } = this.store.view;
    const [x, y] = this.store.view.toStage([0, 0]);
    return { scale: scale * this.ratio, x: x * this.ratio, y: y * this.ratio };
  }

  private resize(): void {
    const { width, height } = this.store.view.frame.panel;
    this.ratio = Math.min(2, devicePixelRatio || 1);
    const [pixelsAcross, pixelsDown] = [Math.round(width * this.ratio), Math.round(height * this.ratio)];
    if (this.still.canvas.width === pixelsAcross && this.still.canvas.height === pixelsDown) return;
    for (const { canvas } of [this.still, this.active, this.scene]) {
      canvas.width = Math.max(1, pixelsAcross);
      canvas.height = Math.max(1, pixelsDown);
    }
    this.drawnFor = null;
    this.cleared = null;
  }

  /** Draws what is new since the last time; the next animation frame calls it. */
  render(): void {
    this.resize();
    const { transform } = this;
    const view = this.store.toolView;
    const drawnByTool = [...view.shapes, ...(view.painting ? [view.painting] : [])];
    const lifted = new Set(drawnByTool.map(({ id }) => id).filter((id) => this.store.snapshot.shapes.has(id)));
    for (const id of lifted) if (!this.lifted.has(id)) this.patched.add(id);
    for (const id of this.lifted) if (!lifted.has(id)) this.patched.add(id);
    this.lifted = lifted;
    const isElsewhere = this.drawnFor !== null && !isSame(this.drawnFor, transform);
    if (this.drawnFor === null || this.patched.size > maxPatches || (this.patched.size > 0 && isElsewhere)) {
      this.drawScene(transform);
      this.showScene(transform);
    } else if (this.patched.size > 0) for (const id of this.patched) this.patch(id, transform);
    else if (this.isPlaceNew) {
      this.showScene(transform);
      if (isElsewhere) this.sharpen();
    }
    this.patched = new Set();
    this.isPlaceNew = false;
    if (this.isActiveNew) this.drawActive(transform);
    this.isActiveNew = false;
  }

  private sharpen(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.drawnFor = null;
      this.plan();
    }, sharpAfterMs);
  }

  private listIn(bounds: Bounds): DraftShape[] {
    const { snapshot, findIn, isHidden } = this.store;
    const ids = findIn(bounds).filter((id) => !this.lifted.has(id) && !isHidden(id));
    return pickShapes(snapshot.shapes, ids).toSorted((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));
  }

  private drawAll(shapes: readonly DraftShape[], { scale }: Transform): void {
    const pixel = this.ratio / scale;
    const look = this.isCrowded ? "crowded" : "plain";
    for (const shape of shapes) {
      this.drawer.draw(this.scene, shape, pixel, look);
      const bounds = this.store.getBounds(shape.id);
      if (bounds) this.drawnAt.set(shape.id, bounds);
    }
    if (!this.isCrowded) for (const shape of shapes) this.drawer.drawInitial(this.scene, shape, pixel);
  }

  private drawScene(transform: Transform): void {
    clearTimeout(this.timer);
    const { scene } = this;
    scene.setTransform(1, 0, 0, 1, 0, 0);
    scene.clearRect(0, 0, scene.canvas.width, scene.canvas.height);
    place(scene, transform);
    this.drawnAt.clear();
    const seen = this.listIn(widen(this.store.view.seen, margin / this.store.view.scale));
    this.isCrowded = seen.length > crowdedFrom;
    this.drawAll(seen, transform);
    this.drawnFor = transform;
  }

  /** Draws the part of the scene anew in which a shape was or is. */
  private patch(id: string, transform: Transform): void {
    const [was, is] = [this.drawnAt.get(id) ?? null, this.store.getBounds(id)];
    const bounds = was && is ? joinBounds(was, is) : (was ?? is);
    this.drawnAt.delete(id);
    if (!bounds || !areTouching(bounds, this.store.view.seen)) return;
    const around = widen(bounds, margin / this.store.view.scale);
    const { scene, still } = this;
    const box = toDevice(around, transform);
    scene.save();
    scene.setTransform(1, 0, 0, 1, 0, 0);
    scene.beginPath();
    scene.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    scene.clip();
    scene.clearRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    place(scene, transform);
    this.drawAll(this.listIn(around), transform);
    scene.restore();
    const [left, top] = [Math.max(0, box.left), Math.max(0, box.top)];
    const [width, height] = [
      Math.min(box.right, still.canvas.width) - left,
      Math.min(box.bottom, still.canvas.height) - top,
    ];
    if (width <= 0 || height <= 0) return;
    still.setTransform(1, 0, 0, 1, 0, 0);
    still.clearRect(left, top, width, height);
    still.drawImage(scene.canvas, left, top, width, height, left, top, width, height);
  }

  /** Shows the scene where the stage is now, enlarged or moved as a picture if it was drawn for elsewhere. */
  private showScene(to: Transform): void {
    const { still, drawnFor } = this;
    still.setTransform(1, 0, 0, 1, 0, 0);
    still.clearRect(0, 0, still.canvas.width, still.canvas.height);
    if (!drawnFor) return;
    const factor = to.scale / drawnFor.scale;
    still.setTransform(factor, 0, 0, factor, to.x - drawnFor.x * factor, to.y - drawnFor.y * factor);
    still.drawImage(this.scene.canvas, 0, 0);
  }

  private clearActive(): void {
    const { active, cleared } = this;
    active.setTransform(1, 0, 0, 1, 0, 0);
    if (cleared)
      active.clearRect(cleared.left, cleared.top, cleared.right - cleared.left, cleared.bottom - cleared.top);
    else active.clearRect(0, 0, active.canvas.width, active.canvas.height);
  }

  private drawActive(transform: Transform): void {
    const { active, store, drawer } = this;
    const pixel = this.ratio / transform.scale;
    const view = store.toolView;
    const { selected, shapes, proposals, point } = store.snapshot;
    this.clearActive();
    place(active, transform);
    const changed = new Map(view.shapes.map((shape) => [shape.id, shape]));
    const chosen = pickShapes(shapes, selected).filter(
      ({ id }) => !changed.has(id) && !store.isHidden(id) && id !== view.painting?.id,
    );
    const proposed = store.snapshot.areHidden ? [] : proposals.flatMap(({ shape }) => shape ?? []);
    for (const shape of proposed) drawer.draw(active, shape, pixel, "proposed");
    if (view.painting) drawer.paint(active, view.painting, shapes.get(view.painting.id)?.label_id);
    for (const shape of [...chosen, ...view.shapes]) drawer.draw(active, shape, pixel, "selected");
    const [first] = selected;
    const one = selected.length === 1 && first !== undefined ? (changed.get(first) ?? chosen[0]) : undefined;
    const handles = one && store.canEdit ? this.drawHandles(active, one, pixel, point) : [];
    const colour = store.nextLabel?.color ?? accent;
    drawDashed(active, view.lines, pixel, colour);
    for (const at of view.dots) drawDot(active, at, pixel, colour);
    for (const at of view.hollow) drawMinus(active, at, pixel);
    if (view.marquee) drawDashed(active, [toOutline(view.marquee)], pixel, accent);
    const drawn = [
      boundShapes([...proposed, ...chosen, ...view.shapes]),
      boundPoints([...view.lines.flatMap(({ points }) => [...points]), ...view.dots, ...view.hollow, ...handles]),
      view.marquee,
      view.painting?.bounds ?? null,
    ].filter((bounds) => bounds !== null);
    const all = drawn.length === 0 ? toBounds({ x: 0, y: 0, width: 0, height: 0 }) : drawn.reduce(joinBounds);
    this.cleared = toDevice(widen(all, margin / store.view.scale), transform);
  }

  /** Returns where they are. */
  private drawHandles(active: Context, shape: DraftShape, pixel: number, chosen: number | null): Point[] {
    const handles = getKind(shape).handles(shape, this.store.getLabel(shape.label_id), this.store.reach);
    for (const { at, stem } of handles) if (stem) drawStem(active, stem, at, pixel);
    handles.forEach(({ at }, index) => drawHandle(active, at, pixel, index === chosen));
    return handles.map(({ at }) => at);
  }
}

const isSame = (a: Transform, b: Transform): boolean => a.scale === b.scale && a.x === b.x && a.y === b.y;

const place = (context: Context, { scale, x, y }: Transform): void => context.setTransform(scale, 0, 0, scale, x, y);

const toDevice = ({ left, top, right, bottom }: Bounds, { scale, x, y }: Transform): Bounds => ({
  left: Math.floor(left * scale + x),
  top: Math.floor(top * scale + y),
  right: Math.ceil(right * scale + x),
  bottom: Math.ceil(bottom * scale + y),
});

const toOutline = ({ left, top, right, bottom }: Bounds) => ({
  points: [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ] as const,
  isClosed: true,
});
