/** Members of a group, and its bytes: whichever is reached first. */
const most = { members: 64, bytes: 16 * 1024 * 1024 } as const;

interface GroupWork<M, R> {
  /** Stores the members of a group; the next group may be stored meanwhile. */
  store: (members: readonly M[]) => Promise<R>;
  /** Commits what was stored, one group after the other in the order of their members. */
  commit: (stored: R) => Promise<void>;
  /** Takes back what was stored of a group that is not committed, since one before it failed. */
  abandon: (stored: R, error: unknown) => Promise<void>;
}

/**
 * Stores members in groups and commits the groups in order. While one is stored, the next one is gathered, so that at most
 * two groups are held.
 */
export class OrderedGroups<M, R> {
  private members: M[] = [];
  private bytes = 0;
  /** The last group's end; it fails with the first failure of all. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly work: GroupWork<M, R>) {}

  /** Adds a member. Resolves when there is room for another; throws what a group before failed with. */
  async add(member: M, bytes: number): Promise<void> {
    this.members.push(member);
    this.bytes += bytes;
    if (this.members.length < most.members && this.bytes < most.bytes) return;
    const before = this.last;
    this.begin();
    await before;
  }

  /** Commits what was added. Throws what a group failed with. */
  async flush(): Promise<void> {
    if (this.members.length > 0) this.begin();
    await this.last;
  }

  /** Waits until nothing is under way any more. */
  async settle(): Promise<void> {
    await this.last.catch(() => {});
  }

  private begin(): void {
    const { members, last } = this;
    [this.members, this.bytes] = [[], 0];
    const stored = this.work.store(members);
    this.last = this.finish(last, stored);
    // Whoever adds the next member, flushes or settles learns of it.
    this.last.catch(() => {});
  }

  private async finish(before: Promise<void>, storing: Promise<R>): Promise<void> {
    const [earlier, stored] = await Promise.allSettled([before, storing]);
    if (earlier.status === "rejected") {
      if (stored.status === "fulfilled") await this.work.abandon(stored.value, earlier.reason);
      throw earlier.reason;
    }
    if (stored.status === "rejected") throw stored.reason;
    await this.work.commit(stored.value);
  }
}
