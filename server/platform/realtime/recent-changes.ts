import type { Change } from "@/domain/changes";

/** A change as it is sent to web processes; its id is the same in all of them. */
export interface RecentChange extends Change {
  id: string;
}

/**
 * The last changes that this process received, in PostgreSQL's order, which is the same in every web process: an
 * interrupted stream can resume in any of them, unless it has missed too many.
 */
export class RecentChanges {
  private recent: RecentChange[] = [];
  private readonly max: number;

  constructor(max = 5_000) {
    this.max = max;
  }

  /** The newest id; a stream that ends now can resume from it. */
  get lastId(): string | null {
    return this.recent.at(-1)?.id ?? null;
  }

  add(change: RecentChange): void {
    this.recent.push(change);
    // Drops many at a time, so that the cost per change is negligible.
    if (this.recent.length > this.max * 1.5) this.recent = this.recent.slice(-this.max);
  }

  /** The changes of one organization after `id`, oldest first; null when `id` is not retained any more. */
  since(organizationId: string, id: string): RecentChange[] | null {
    const at = this.recent.findLastIndex((change) => change.id === id);
    return at < 0 ? null : this.recent.slice(at + 1).filter((change) => change.organizationId === organizationId);
  }

  /** Drops all changes; called after an interruption, because those before it may be incomplete. */
  clear(): void {
    this.recent = [];
  }
}
