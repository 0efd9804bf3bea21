import type { BulkEditKind } from "@/domain/bulk-edits/schema";

/** A bulk edit as the job that makes it reads it. */
export interface RunningEdit {
  uid: string;
  datasetId: string;
  kind: BulkEditKind;
  metadata: Record<string, unknown> | null;
  targetId: string | null;
  createdById: string | null;
  ofAnybody: boolean;
}

/** An item that waits to be changed; `before` is what an undo puts back. */
export interface WaitingItem {
  uid: string;
  before: Record<string, unknown> | null;
}

/** What became of one item of a step. */
export interface StepOutcome {
  uid: string;
  key: string;
  error: string | null;
  /** The members of its metadata that were changed, as they were; null where there are none. */
  before: Record<string, unknown> | null;
}
