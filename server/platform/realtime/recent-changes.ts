import type { Change } from "@/domain/changes";

/** A change as it travels: its id is the same in every web process. */
export interface Heard extends Change {
  id: string;
}

/**
 * The last changes this process heard, in the order in which PostgreSQL told them, which is the same in every web
 * process: a stream that broke off goes on in any of them, as long as what it missed is not too much.
 */
export class RecentChanges {
  private heard: Heard[] = [];
  private readonly most: number;

  constructor(most = 5_000) {
    this.most = most;
  }

  /** The newest id; a stream that ends now goes on behind it. */
  get lastId(): string | null {
    return this.heard.at(-1)?.id ?? null;
  }

  add(change: Heard): void {
    this.heard.push(change);
    // Half at once, so that dropping the oldest costs next to nothing a change.
    if (this.heard.length > this.most * 1.5) this.heard = this.heard.slice(-this.most);
  }

  /** What one organization missed after `id`, oldest first; null when that cannot be told any more. */
  since(organizationId: string, id: string): Heard[] | null {
    const at = this.heard.findLastIndex((change) => change.id === id);
    return at < 0 ? null : this.heard.slice(at + 1).filter((change) => change.organizationId === organizationId);
  }

  /** After a time of not listening nothing is known of what came before. */
  forget(): void {
    this.heard = [];
  }
}
