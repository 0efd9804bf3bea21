import type { OpenedDraft } from "@/components/annotation/drafts/draft-merge";
import type { SendState } from "@/components/annotation/drafts/draft-sender";
import type { DraftOwner } from "@/components/annotation/drafts/draft-store";
import type { TaskForEditor } from "./query";

type LeaseState =
  /** `held`: this page works on it. `elsewhere`: another tab of this browser does. `closed`: nobody, or not this person. */
  | { is: "asking" | "held" | "elsewhere" | "closed" }
  | { is: "taken"; by: string | null }
  /** It was held until `at`, in milliseconds. */
  | { is: "lost"; by: string | null; at: number }
  | { is: "refused"; reason: string };

export interface SessionState {
  lease: LeaseState;
  /** Null until it was opened to be worked on. */
  draft: OpenedDraft | null;
  send: SendState;
  /** Changes that are not stored in this browser yet. */
  storing: number;
  /** Changes that were stored since the page shows the task. */
  stored: number;
  /** Why this browser keeps nothing; null while it does. */
  refusal: string | null;
  /** The draft is opened anew: nothing can be drawn for that moment. */
  isReopening: boolean;
}

export interface SessionInput {
  owner: DraftOwner;
  found: TaskForEditor;
  /** Whether the person may work on it at all. */
  mayWork: boolean;
  /** What own changes of a time are called where others changed the same: "yours of 14:02". */
  name: (at: number) => string;
}
