import type { DraftOp } from "@/domain/annotations/draft-schema";
import type { DraftShapes } from "@/domain/annotations/draft-shape";
import type { KeptWork, Proposal } from "../store/editor-snapshot";

export interface NumberedOp {
  n: number;
  op: DraftOp;
}

/** What is held of a draft beside the server. */
export interface StoredDraft {
  /** The name of this browser in the server's draft. */
  client: string;
  /** The number of the last change, which also acknowledged ones keep. */
  n: number;
  /** The version of the server's draft that `shapes` are. */
  version: number;
  /** What the server is known to have. */
  shapes: DraftShapes;
  /** Changes that the server has not acknowledged, in their order. */
  ops: readonly NumberedOp[];
  kept: KeptWork | null;
  proposals: readonly Proposal[];
  /** When it was changed last, in milliseconds. */
  at: number;
  /** The token of the task's lease that this browser had last. */
  lease: string | null;
}

/** A draft that own changes were put on another version of, and those that are left to be sent. */
export interface RebasedDraft extends Pick<StoredDraft, "shapes" | "version" | "proposals" | "kept"> {
  ops: readonly DraftOp[];
}

/** Where changes are kept until the server has them. Calls take effect in their order. */
export interface DraftKeeper {
  read: () => Promise<StoredDraft>;
  /** Stores changes and what goes with them, all or nothing. */
  add: (ops: readonly DraftOp[], kept: KeptWork) => Promise<void>;
  /** The server has the changes up to a number: they are known as its shapes and are not sent again. */
  acknowledge: (n: number, version: number) => Promise<void>;
  /** Puts in place of what is held what `change` makes of it; null leaves it. Nothing is added in between. */
  rebase: (change: (stored: StoredDraft) => RebasedDraft | null) => Promise<void>;
  /** Somebody decided about the own changes of a shape. */
  decide: (id: string) => Promise<void>;
  /** Keeps the token of the lease, so that a browser that was killed goes on with it; null: it has none any more. */
  keepLease: (token: string | null) => Promise<void>;
  /** Forgets everything, when it was submitted or dropped. */
  clear: () => Promise<void>;
  close: () => void;
}
