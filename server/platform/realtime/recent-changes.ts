import type { Change } from "@/domain/changes";

/** A change as it travels: its id is the same in every web process. */
export interface RecentChange extends Change {
  id: string;
}

/**
 * The last changes this process heard, in the order in which PostgreSQL told them, which is the same in every web
 * process: a stream that broke off goes on in any of them, as long as what it missed is not too much.
 */
export class RecentChanges {
  private recent: RecentChange[] = [];
  private readonly max: number;

  constructor(max = 5_000) {
    this.max = max;
  }

  /** The newest id; a stream that ends now goes on behind it. */
  get lastId(): string | null {
    return this.recent.at(-1)?.id ?? null;
  }

  add(change: RecentChange): void {
    this.recent.push(change);
    // Half at once, so that dropping the oldest costs next to nothing a change.
    if (this.recent.length > this.max * 1.5) this.recent = this.recent.slice(-this.max);
  }

  /** What one organization missed after `id`, oldest first; null when that cannot be told any more. */
  since(organizationId: string, id: string): RecentChange[] | null {
    const at = this.recent.findLastIndex((change) => change.id === id);
    return at < 0 ? null : this.recent.slice(at + 1).filter((change) => change.organizationId === organizationId);
  }

  /** After a time of not listening nothing is known of what came before. */
  forget(): void {
    this.recent = [];
  }
}
