import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { DraftShapes, ShapeType } from "@/domain/annotations/draft-shape";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Bounds, Box, Outline, Point } from "@/domain/annotations/geometry";
import type { ModelPrompt } from "@/domain/models/prompt";

interface Held {
  shift?: boolean;
  alt?: boolean;
  ctrl?: boolean;
}

/** What a person does on the stage. Places are in pixels of the picture; arrows and Space make the same ones. */
export type StageEvent =
  | ({ type: "press" | "move" | "release"; at: Point } & Held)
  | ({ type: "key"; key: string } & Held)
  | { type: "cancel" };

/** What a tool may know. */
export interface ToolContext {
  shapes: DraftShapes;
  selected: readonly string[];
  /** Whether shapes may be changed. */
  canEdit: boolean;
  /** The label of the next shape; null without labels that may have it. */
  label: EditorLabel | null;
  getLabel: (id: string) => EditorLabel | undefined;
  picture: { width: number; height: number; url?: string };
  /** Pixels of the stage for one of the picture. */
  scale: number;
  /** Pixels of the picture within which a pointer touches a line or a handle. */
  reach: number;
  /** The shape at a place; null for none. */
  hit: (at: Point) => DraftShape | null;
  /** The shapes whose bounds touch these. */
  near: (bounds: Bounds) => readonly DraftShape[];
  createId: () => string;
  /** A position above all shapes. */
  top: number;
  /** The shapes that a model answered last; null while the question is open. */
  answered: readonly string[] | null;
}

/** A question to a model: one about something else than the one before, or the same one, more precise. */
export interface AskedPrompt {
  prompt: ModelPrompt;
  isNew: boolean;
}

export interface ToolStep<State> {
  state: State;
  ops?: readonly DraftOp[];
  /** Who is selected now, if that changed. */
  selected?: readonly string[];
  /** What a person who does not see the stage needs to know. */
  say?: string;
  /** What follows once something is computed elsewhere, for the draft as it is then. */
  later?: Promise<(context: ToolContext) => LaterStep>;
  /** What a model is asked. */
  ask?: AskedPrompt;
}

export type LaterStep = Pick<ToolStep<never>, "ops" | "selected" | "say">;

/** A mask as it is painted, before it is a shape. */
export interface PaintedMask {
  id: string;
  labelId: string;
  bounds: Bounds | null;
  /** In pixels of the picture. */
  draw(context: CanvasRenderingContext2D, colour: string): void;
}

/** What a tool draws above the shapes. */
export interface ToolView {
  /** In place of the shapes of the same ids, if there are any. */
  shapes: readonly DraftShape[];
  /** Under construction: dashed. */
  lines: readonly Outline[];
  dots: readonly Point[];
  /** Points beside what is meant. */
  hollow: readonly Point[];
  /** Shapes that it touches are being selected. */
  marquee: Bounds | null;
  /** In place of the shape of the same id, if there is one. */
  painting: PaintedMask | null;
}

export const nothing: ToolView = { shapes: [], lines: [], dots: [], hollow: [], marquee: null, painting: null };

export const toRectangle = ({ x, y, width, height }: Box): Outline => ({
  points: [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ],
  isClosed: true,
});

export interface ToolState {
  tool: string;
}

/**
 * A tool is a small machine: from a state and an event to the next state and changes. It neither draws nor saves, and what
 * it needs to know is in its context.
 */
export interface Tool<State extends ToolState = ToolState> {
  name: string;
  keys: string;
  /** What it makes; null for none. */
  makes: ShapeType | null;
  /** How it is used, in a line. */
  hint: string;
  /** Whether it can be used by a finger on a small screen. */
  isForPhones: boolean;
  /** Whether it goes on with the selected shape, if that is one that it makes. */
  continues?: boolean;
  start(): State;
  step(state: State, event: StageEvent, context: ToolContext): ToolStep<State>;
  view(state: State, context: ToolContext): ToolView;
  /** The points of a shape under construction; none while there is no such shape. */
  points(state: State): readonly Point[];
  /** Continues a shape of which these points were drawn. */
  resume(points: readonly Point[]): State;
}
