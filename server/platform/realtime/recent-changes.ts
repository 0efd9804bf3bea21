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
  private recent: (RecentChange & { receivedAt: number })[] = [];
  /** All changes received after this moment are retained. */
  private completeSince: number;

  /** `clock` counts milliseconds and never goes back. */
  constructor(
    private readonly max = 5_000,
    private readonly clock = () => performance.now(),
  ) {
    this.completeSince = clock();
  }

  /** The newest id; a stream that ends now can resume from it. */
  get lastId(): string | null {
    return this.recent.at(-1)?.id ?? null;
  }

  add(change: RecentChange): void {
    this.recent.push({ ...change, receivedAt: this.clock() });
    // Drops many at a time, so that the cost per change is negligible.
    if (this.recent.length <= this.max * 1.5) return;
    this.completeSince = this.recent.at(-this.max - 1)?.receivedAt ?? this.completeSince;
    this.recent = this.recent.slice(-this.max);
  }

  /** The changes of one organization after `id`, oldest first; null when `id` is not retained any more. */
  since(organizationId: string, id: string): RecentChange[] | null {
    const at = this.recent.findLastIndex((change) => change.id === id);
    return at < 0 ? null : this.recent.slice(at + 1).filter((change) => change.organizationId === organizationId);
  }

  /**
   * The changes of one organization that were received in the last `ms`, oldest first, with those of `marginMs` before as
   * far as they are retained; null when some of the last `ms` are not.
   */
  within(organizationId: string, ms: number, marginMs = 0): RecentChange[] | null {
    const from = this.clock() - ms;
    if (from <= this.completeSince) return null;
    return this.recent.filter(
      (change) => change.receivedAt >= from - marginMs && change.organizationId === organizationId,
    );
  }

  /** Drops all changes; called after an interruption, because those before it may be incomplete. */
  clear(): void {
    this.recent = [];
    this.completeSince = this.clock();
  }
}
