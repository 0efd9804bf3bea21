import { v4 as uuidv4 } from "uuid";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, invertOps, listByPosition } from "@/domain/annotations/draft-shape";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Bounds, Point } from "@/domain/annotations/geometry";
import { ownOps } from "@/domain/annotations/pre-label";
import { getKind } from "../shapes/shape-kinds";
import { isTouched } from "../tools/select";
import type { LaterStep, StageEvent, ToolContext, ToolState, ToolView } from "../tools/tool";
import { getTool, type ToolName } from "../tools/tools";
import { Asking } from "./asking";
import type { DrawChange, EditorInput, EditorSnapshot, KeptWork } from "./editor-snapshot";
import { findShapeAt } from "./find-shape";
import { GridIndex } from "./grid-index";
import { addStep, canStep, noHistory, type History } from "./history";
import { LaterSteps } from "./later-steps";
import { pickLabel } from "./pick-label";
import { keepSelected, pickShapes } from "./selection";
import { showOps } from "./show-ops";
import { findActive, startSnapshot } from "./start-snapshot";
import { ToolPast } from "./tool-past";
import { ViewPlace } from "./view-place";

/** CSS pixels within which a pointer touches a handle or a line; a finger is wider. */
const reachPixels = { fine: 7, coarse: 12 };

/** The state of an editor: the draft, the tool and what is selected. It knows neither React nor canvases nor a network. */
export class EditorStore {
  readonly view: ViewPlace;
  snapshot: EditorSnapshot;
  /** Where keys draw, in pixels of the picture; null until arrows are pressed, and when a pointer moves. */
  cursor: Point | null = null;
  private input: EditorInput;
  private toolState: ToolState;
  private history: History;
  private readonly past = new ToolPast();
  private isCoarse = false;
  /** What tools compute elsewhere. */
  readonly later = new LaterSteps(
    () => this.context,
    (step) => this.take(step),
  );
  readonly asking = new Asking((text) => this.say(text));
  /** What the last step was part of, such as typing into a field. */
  private work: string | null = null;
  private readonly index = new GridIndex();
  private readonly labels = new Map<string, EditorLabel>();
  private readonly shellListeners = new Set<() => void>();
  private readonly drawListeners = new Set<(change: DrawChange) => void>();

  constructor(input: EditorInput) {
    this.input = input;
    this.view = new ViewPlace(input.picture, () => this.redraw({ what: "place" }));
    const { unfinished } = input.kept ?? { unfinished: null };
    this.history = input.kept?.history ?? noHistory;
    const tool = unfinished?.tool ?? (input.canEdit ? input.hand?.current.tool : undefined) ?? "select";
    this.toolState = unfinished ? getTool(tool).resume(unfinished.points) : getTool(tool).start();
    this.snapshot = startSnapshot(input, tool, this.history);
    this.readLabels();
    for (const shape of this.snapshot.listed) this.index.set(shape.id, getKind(shape).bound(shape));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.shellListeners.add(listener);
    return () => void this.shellListeners.delete(listener);
  };
  readonly getSnapshot = (): EditorSnapshot => this.snapshot;

  /** Is called with what has to be drawn anew. */
  onDraw(listener: (change: DrawChange) => void): () => void {
    this.drawListeners.add(listener);
    return () => void this.drawListeners.delete(listener);
  }

  private redraw(change: DrawChange): void {
    for (const listener of this.drawListeners) listener(change);
  }

  private set(change: Partial<EditorSnapshot>): void {
    this.snapshot = { ...this.snapshot, ...change };
    const { tool, labelId } = this.snapshot;
    if (this.input.hand && ("tool" in change || "labelId" in change)) this.input.hand.current = { tool, labelId };
    for (const listener of this.shellListeners) listener();
  }

  private show(change: Partial<EditorSnapshot>): void {
    this.set(change);
    this.redraw({ what: "active" });
  }

  private readLabels(): void {
    this.labels.clear();
    for (const label of this.input.labels) this.labels.set(label.id, label);
  }

  /** Takes what the page was given anew. Shapes that are others than before replace the draft and what was kept of it. */
  update(input: EditorInput): void {
    const before = this.input;
    this.input = input;
    this.view.setPicture(input.picture);
    if (input.labels !== before.labels) this.readLabels();
    if (input.canEdit !== before.canEdit) this.set({ canEdit: input.canEdit });
    if (input.proposals !== before.proposals) this.set({ proposals: input.proposals });
    const isNew = input.shapes !== before.shapes;
    this.takeUp(isNew ? (input.kept?.unfinished ?? null) : null, input.canEdit && !before.canEdit);
    if (!isNew && input.labels === before.labels) return;
    if (isNew) {
      this.later.leave();
      const shapes = new Map(input.shapes.map((shape) => [shape.id, shape]));
      for (const id of this.snapshot.shapes.keys()) this.index.set(id, null);
      for (const shape of shapes.values()) this.index.set(shape.id, getKind(shape).bound(shape));
      this.history = input.kept?.history ?? noHistory;
      const selected = this.snapshot.selected.filter((id) => shapes.has(id));
      this.set({ shapes, listed: listByPosition(shapes.values()), selected, ...canStep(this.history) });
    }
    this.redraw({ what: "shapes", ids: null });
  }

  /** Goes on with a shape that was begun; where editing begins, else with the tool and label that the person had. */
  private takeUp(unfinished: KeptWork["unfinished"], begins: boolean): void {
    const hand = begins ? this.input.hand?.current : undefined;
    const tool = unfinished?.tool ?? hand?.tool ?? this.snapshot.tool;
    if (!unfinished && !hand) return;
    if (unfinished || tool !== this.snapshot.tool) {
      this.toolState = unfinished ? getTool(tool).resume(unfinished.points) : getTool(tool).start();
      this.past.clear();
    }
    const labelId = unfinished?.label_id ?? findActive(this.input.labels, hand?.labelId) ?? this.snapshot.labelId;
    this.show({ tool, labelId, drawn: getTool(tool).points(this.toolState).length });
  }

  get canEdit(): boolean {
    return this.input.canEdit;
  }
  get picture() {
    return this.input.picture;
  }
  getLabel = (id: string): EditorLabel | undefined => this.labels.get(id);

  say = (text: string): void => this.input.onSay(text);
  getBounds = (id: string): Bounds | null => this.index.get(id);
  isHidden = (id: string): boolean => this.snapshot.areHidden || this.snapshot.hidden.has(id);
  findIn = (bounds: Bounds): string[] => this.index.find(bounds);
  get nextLabel(): EditorLabel | null {
    return pickLabel(this.input.labels, this.snapshot.labelId, this.snapshot.tool);
  }

  /** The labels that new shapes may have, in their order. */
  get activeLabels(): EditorLabel[] {
    return this.input.labels.filter((label) => !label.retired);
  }

  /** A position above all shapes. */
  get top(): number {
    return Math.floor(this.snapshot.listed.at(-1)?.position ?? 0) + 1;
  }

  /** Pixels of the picture within which a pointer touches a line or a handle. */
  get reach(): number {
    return (this.isCoarse ? reachPixels.coarse : reachPixels.fine) / this.view.scale;
  }

  /** The shape at a place; null for none. */
  hit(at: Point): DraftShape | null {
    const near = this.index.findAt(at, this.reach).filter((id) => !this.isHidden(id));
    return findShapeAt(at, pickShapes(this.snapshot.shapes, near), this.reach, this.getLabel);
  }

  touches = (at: Point): boolean => isTouched(at, this.context);

  private get context(): ToolContext {
    const { shapes, selected } = this.snapshot;
    return {
      shapes,
      selected,
      canEdit: this.canEdit,
      label: this.nextLabel,
      getLabel: this.getLabel,
      picture: this.input.picture,
      scale: this.view.scale,
      reach: this.reach,
      hit: (at) => this.hit(at),
      near: (bounds) =>
        pickShapes(
          shapes,
          this.index.find(bounds).filter((id) => !this.isHidden(id)),
        ),
      createId: uuidv4,
      top: this.top,
      answered: this.asking.answered,
    };
  }

  /** What the tool draws above the shapes. */
  get toolView(): ToolView {
    return getTool(this.snapshot.tool).view(this.toolState, this.context);
  }

  setCursor = (cursor: Point | null): void => void (this.cursor = cursor);
  setCoarse = (isCoarse: boolean): void => void (this.isCoarse = isCoarse);

  /** What a person does on the stage, for the tool in hand. */
  send(event: StageEvent): void {
    const tool = getTool(this.snapshot.tool);
    if (tool.makes !== null && !this.canEdit) return;
    const { context } = this;
    if (tool.makes !== null && event.type === "press" && !context.label)
      return this.say(`No label may have a ${tool.name.toLowerCase()}.`);
    const before = this.toolState;
    const step = tool.step(before, event, context);
    this.toolState = step.state;
    const [had, has] = [tool.points(before).length, tool.points(step.state).length];
    this.past.note(before, had, has);
    if (step.selected && step.selected !== this.snapshot.selected) this.select(step.selected);
    if (had !== has) this.set({ drawn: has });
    if (step.ops && step.ops.length > 0) this.commit(step.ops);
    else if (had !== has) this.keep([]);
    if (step.say) this.say(step.say);
    if (step.later) this.later.add(step.later);
    if (step.ask) this.asking.ask(step.ask);
    this.redraw({ what: "active" });
  }

  private take({ ops = [], selected, say }: LaterStep): void {
    if (selected) this.select(selected);
    this.commit(ops);
    if (say) this.say(say);
    this.redraw({ what: "active" });
  }

  private keep(ops: readonly DraftOp[]): void {
    const { tool, labelId } = this.snapshot;
    const points = getTool(tool).points(this.toolState);
    const unfinished: KeptWork["unfinished"] =
      points.length === 0 ? null : { tool, label_id: this.nextLabel?.id ?? labelId, points };
    this.input.onOps(ops, { history: this.history, unfinished });
  }

  private apply(ops: readonly DraftOp[]): void {
    const shapes = applyOps(this.snapshot.shapes, ops);
    for (const { id } of ops) {
      const shape = shapes.get(id);
      this.index.set(id, shape ? getKind(shape).bound(shape) : null);
    }
    const selected = this.snapshot.selected.filter((id) => shapes.has(id));
    this.set({
      shapes,
      listed: listByPosition(shapes.values()),
      selected: selected.length === this.snapshot.selected.length ? this.snapshot.selected : selected,
      ...canStep(this.history),
    });
    this.redraw({ what: "shapes", ids: ops.map(({ id }) => id) });
  }

  /** Changes the draft, as one step, or as part of the one before if both are of the same work. `isOffer`: by a model. */
  commit(changes: readonly DraftOp[], work: string | null = null, isOffer = false): void {
    if (!this.canEdit || changes.length === 0) return;
    const ops = isOffer ? changes : ownOps(this.snapshot.shapes, changes);
    const { steps, done } = this.history;
    const last = steps.at(-1);
    this.history =
      work !== null && work === this.work && last && done === steps.length
        ? { steps: steps.with(-1, { ...last, redo: ops }), done }
        : addStep(this.history, { undo: invertOps(this.snapshot.shapes, ops), redo: ops });
    this.work = work;
    this.apply(ops);
    this.keep(ops);
  }

  undo(): void {
    if (this.later.isBusy) return void this.later.settle().then(() => this.undo());
    this.work = null;
    const before = this.past.back(this.toolState);
    if (before) return this.setToolState(before, "Point taken back");
    const step = this.history.steps[this.history.done - 1];
    if (!step || !this.canEdit) return this.say("Nothing to take back.");
    this.goTo(this.history.done - 1, step.undo, "Taken back");
  }

  redo(): void {
    const after = this.past.forth(this.toolState);
    if (after) return this.setToolState(after, "Point is back");
    const step = this.history.steps[this.history.done];
    if (!step || !this.canEdit) return this.say("Nothing to repeat.");
    this.goTo(this.history.done + 1, step.redo, "Repeated");
  }

  private goTo(done: number, ops: readonly DraftOp[], said: string): void {
    if (!showOps(this, ops)) return;
    this.history = { ...this.history, done };
    this.apply(ops);
    this.keep(ops);
    this.say(said);
  }

  private setToolState(state: ToolState, said: string): void {
    this.toolState = state;
    this.show({ drawn: getTool(this.snapshot.tool).points(state).length });
    this.keep([]);
    this.say(said);
  }

  setTool(tool: ToolName): void {
    const had = this.snapshot.drawn > 0;
    this.toolState = getTool(tool).start();
    this.past.clear();
    const selected = keepSelected(this.snapshot, tool);
    this.show({ tool, drawn: 0, point: null, selected });
    if (had) this.keep([]);
    this.say(`${getTool(tool).name}. ${getTool(tool).hint}.`);
  }

  select(selected: readonly string[]): void {
    this.work = null;
    this.show({ selected, point: null });
  }

  setLabel = (labelId: string): void => this.show({ labelId });
  setPoint = (point: number | null): void => this.show({ point });

  hide(ids: readonly string[], isHidden: boolean): void {
    const named = new Set(ids);
    const others = [...this.snapshot.hidden].filter((id) => !named.has(id));
    this.set({ hidden: new Set(isHidden ? [...others, ...ids] : others) });
    this.redraw({ what: "shapes", ids });
  }

  hideAll(areHidden: boolean): void {
    if (areHidden === this.snapshot.areHidden) return;
    this.set({ areHidden });
    this.redraw({ what: "shapes", ids: null });
  }

  /** Takes a proposal, or leaves the shape as it is. */
  decide(id: string, isTaken: boolean): void {
    const proposal = this.snapshot.proposals.find((each) => each.id === id);
    if (!proposal) return;
    this.set({ proposals: this.snapshot.proposals.filter((each) => each !== proposal) });
    this.redraw({ what: "active" });
    // Stored before it is decided: if the page ends between, it is offered again.
    if (isTaken) this.commit([proposal.shape ? { op: "put", id, shape: proposal.shape } : { op: "drop", id }]);
    this.input.onDecide(id);
  }
}
