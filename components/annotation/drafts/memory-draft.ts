import { v4 as uuidv4 } from "uuid";
import type { DraftOp } from "@/domain/annotations/draft-schema";
import { applyOps } from "@/domain/annotations/draft-shape";
import type { KeptWork } from "../store/editor-snapshot";
import type { DraftKeeper, NumberedOp, RebasedDraft, StoredDraft } from "./draft-keeper";

const createDraft = (): StoredDraft => ({
  client: uuidv4(),
  n: 0,
  version: 0,
  shapes: new Map(),
  ops: [],
  kept: null,
  proposals: [],
  at: Date.now(),
  lease: null,
});

const number = (ops: readonly DraftOp[], from: number): NumberedOp[] => ops.map((op, at) => ({ n: from + at + 1, op }));

/** A draft where the browser stores nothing: it ends with the page, so that changes are sent at once. */
export class MemoryDraft implements DraftKeeper {
  /** `draft`: what could be read of a store that takes no more. */
  constructor(private draft: StoredDraft = createDraft()) {}

  async read(): Promise<StoredDraft> {
    return this.draft;
  }

  async add(ops: readonly DraftOp[], kept: KeptWork): Promise<void> {
    const { n } = this.draft;
    const all = [...this.draft.ops, ...number(ops, n)];
    this.draft = { ...this.draft, n: n + ops.length, ops: all, kept, at: Date.now() };
  }

  async acknowledge(n: number, version: number): Promise<void> {
    const had = this.draft.ops.filter((each) => each.n <= n).map(({ op }) => op);
    const shapes = applyOps(this.draft.shapes, had);
    this.draft = { ...this.draft, version, shapes, ops: this.draft.ops.filter((each) => each.n > n) };
  }

  async rebase(change: (stored: StoredDraft) => RebasedDraft | null): Promise<void> {
    const { n } = this.draft;
    const rebased = change(this.draft);
    if (rebased) this.draft = { ...this.draft, ...rebased, n: n + rebased.ops.length, ops: number(rebased.ops, n) };
  }

  async decide(id: string): Promise<void> {
    this.draft = { ...this.draft, proposals: this.draft.proposals.filter((each) => each.id !== id) };
  }

  async keepLease(lease: string | null): Promise<void> {
    this.draft = { ...this.draft, lease };
  }

  async clear(): Promise<void> {
    this.draft = createDraft();
  }

  close(): void {}
}
