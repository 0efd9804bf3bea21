import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { DraftShapes } from "@/domain/annotations/draft-shape";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Point } from "@/domain/annotations/geometry";
import type { ToolName } from "../tools/tools";
import type { History } from "./history";

/** A change that somebody has to decide about: own work on a shape that others changed meanwhile. */
export interface Proposal {
  /** The shape it is about. */
  id: string;
  /** How it would be; null: it would be removed. */
  shape: DraftShape | null;
  /** Where it comes from: "yours of 14:02". */
  note: string;
}

/** A shape of which some points are drawn. */
interface Unfinished {
  tool: ToolName;
  label_id: string | null;
  points: readonly Point[];
}

/** What survives a reload beside the shapes. */
export interface KeptWork {
  history: History;
  unfinished: Unfinished | null;
}

/** The tool and the label that somebody draws with. */
export interface EditorHand {
  tool: ToolName;
  labelId: string | null;
}

export interface EditorInput {
  picture: { width: number; height: number; url?: string };
  labels: readonly EditorLabel[];
  shapes: readonly DraftShape[];
  proposals: readonly Proposal[];
  kept: KeptWork | null;
  canEdit: boolean;
  /** Taken up where editing begins; survives the editor, which says here what is chosen. */
  hand?: { current: EditorHand } | undefined;
  /** Finished changes, none where only a point of an unfinished shape was drawn; to be stored at once, in this order. */
  onOps: (ops: readonly DraftOp[], kept: KeptWork) => void;
  /** A proposal was taken or left. */
  onDecide: (id: string) => void;
  /** Says to people what happened, also to those who do not see the stage. */
  onSay: (text: string) => void;
}

/** What panels show; a new object whenever any of it changes. */
export interface EditorSnapshot {
  shapes: DraftShapes;
  /** From the lowest to the topmost. */
  listed: readonly DraftShape[];
  selected: readonly string[];
  tool: ToolName;
  /** The label that was chosen for the next shape; another is used where the tool's shape may not have it. */
  labelId: string | null;
  hidden: ReadonlySet<string>;
  areHidden: boolean;
  proposals: readonly Proposal[];
  /** The point of the selected shape that keys move; null: they move the shape. */
  point: number | null;
  /** Points of the shape under construction. */
  drawn: number;
  canEdit: boolean;
  canUndo: boolean;
  canRedo: boolean;
}

/** What of the stage is no longer as it was drawn. */
export type DrawChange =
  | { what: "place" }
  /** Without ids: all. */
  | { what: "shapes"; ids: readonly string[] | null }
  | { what: "active" };
