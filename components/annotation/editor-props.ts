import type { ReactNode } from "react";
import type { CheckName } from "@/domain/annotations/check-names";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { Pin } from "./issues/stage-pins";
import type { EditorPrompts } from "./prompts/prompt-desk";
import type { PictureSource } from "./stage/editor-picture";
import type { EditorHand, KeptWork, Proposal } from "./store/editor-snapshot";

export interface EditorProps {
  picture: PictureSource;
  /** Keep these arrays stable: shapes that are others replace the draft. */
  labels: readonly EditorLabel[];
  shapes: readonly DraftShape[];
  /** Finished changes in their order, none where only a point was drawn, with what survives a reload beside them. */
  onOps: (ops: readonly DraftOp[], kept: KeptWork) => void;
  /** What was kept of this draft. */
  kept?: KeptWork | null;
  proposals?: readonly Proposal[] | undefined;
  /** The tool and label to begin with, which the editor keeps up to date. */
  hand?: { current: EditorHand };
  onDecide?: (id: string) => void;
  /** Why the draft cannot be changed. */
  readOnly?: string | undefined;
  /** `ignored`: the checks that people saw and passed. Without it there is no Submit. */
  onSubmit?: ((ignored: readonly CheckName[]) => void) | undefined;
  onSkip?: (() => void) | undefined;
  /** The checks that nobody may pass. */
  blocking?: readonly CheckName[];
  /** What the list says of shapes: "2 issues". */
  notes?: ReadonlyMap<string, string>;
  /** At the left of the bar: what is edited, and whether it is stored. */
  head?: ReactNode;
  /** More tabs beside shapes and attributes. */
  panels?: readonly { value: string; label: ReactNode; content: ReactNode }[];
  /** What reviewers found: pins on the picture, and a panel that shows the one in hand. */
  issues?: EditorIssues;
  /** The models that can be asked what is at a place; none: there is no such tool. */
  prompts?: EditorPrompts | undefined;
  /** Frames that the recording of the item has around it. */
  frames?: EditorFrames;
  /** The picture is there. */
  onPicture?: () => void;
  onPictureFailure?: () => void;
}

interface EditorIssues {
  pins: readonly Pin[];
  /** Those that are open. */
  count: number;
  panel: (chosen: string | null, onChoose: (at: Pick<Pin, "id" | "point" | "shape">) => void) => ReactNode;
}

interface EditorFrames {
  step: (by: 1 | -1) => void;
  leave: () => void;
  /** The frame that is shown in place of the item, and what stands above it; null: the item is. */
  shown: { url: string; bar: ReactNode; onFailure: () => void } | null;
}
