import type { DraftKeeper } from "@/components/annotation/drafts/draft-keeper";
import { openDraft } from "@/components/annotation/drafts/draft-merge";
import { DraftSender, noneSent } from "@/components/annotation/drafts/draft-sender";
import { DraftStore, removeOldDrafts } from "@/components/annotation/drafts/draft-store";
import { MemoryDraft } from "@/components/annotation/drafts/memory-draft";
import type { KeptWork } from "@/components/annotation/store/editor-snapshot";
import { readFailure } from "@/components/product/failure";
import type { DraftOp } from "@/domain/annotations/draft-schema";
import { applyOps } from "@/domain/annotations/draft-shape";
import { BrowserLock } from "./browser-lock";
import { readToken, writeToken } from "./lease-token";
import { toServerDraft, type TaskForEditor } from "./query";
import { readHolder, toSaveAnswer, type ServerCalls } from "./server-calls";
import type { SessionInput, SessionState } from "./session-state";
import { WorkTimer } from "./work-timer";

/** Milliseconds between two times that a draft is opened anew, or a lease renewed. */
const pauses = { reopen: 2_000, renew: 60_000 };

const why = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The work on one task in one tab: its lease, its draft in this browser and on the server. Knows neither React nor tRPC. */
export class TaskSession {
  state: SessionState = {
    lease: { is: "asking" },
    draft: null,
    send: noneSent,
    storing: 0,
    stored: 0,
    refusal: null,
    isReopening: false,
  };
  readonly timer = new WorkTimer();
  private readonly listeners = new Set<() => void>();
  private readonly lock: BrowserLock;
  private keeper: DraftKeeper | null = null;
  private sender: DraftSender | null = null;
  private token: string | null = null;
  private isStarted = false;
  private ending: ReturnType<typeof setTimeout> | undefined;
  private ticking: ReturnType<typeof setInterval> | undefined;
  private renewedAt = Date.now();
  /** Changes since the draft began to be opened anew. */
  private since: DraftOp[] | null = null;
  private lostTo: string | null = null;
  private reopenedAt = Number.NEGATIVE_INFINITY;
  private fallback: Promise<void> | null = null;
  /** The lease that came with the task. */
  private given: string | null;

  constructor(
    private readonly of: SessionInput,
    private readonly calls: ServerCalls<TaskForEditor>,
  ) {
    this.given = of.found.lease?.token ?? null;
    this.lock = new BrowserLock(`task-${of.owner.task}`, (isHeld) => void this.onLock(isHeld));
    if (!of.mayWork) this.state = { ...this.state, lease: { is: "closed" } };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly getState = (): SessionState => this.state;

  private set(change: Partial<SessionState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.listeners) listener();
  }

  start(): void {
    clearTimeout(this.ending);
    if (this.isStarted) return;
    this.isStarted = true;
    if (!this.of.mayWork) return;
    this.ticking = setInterval(() => this.tick(), 1_000);
    this.lock.request();
  }

  /** The page left it: what is kept is sent, and the task given back. A page that comes back at once goes on. */
  stop(): void {
    this.ending = setTimeout(() => void this.end());
  }

  private async end(): Promise<void> {
    clearInterval(this.ticking);
    const { token } = this;
    if (token !== null) await this.sender?.flush();
    const stopped = this.sender?.stop();
    if (token !== null) {
      const { seconds } = this.timer.take();
      await this.calls.release(token, seconds).catch(() => {});
      this.forget();
    }
    this.lock.end();
    await stopped;
    this.keeper?.close();
  }

  private forget(): void {
    this.token = null;
    writeToken(this.of.owner.user, this.of.owner.task, null);
    void this.keeper?.keepLease(null).catch(() => {});
  }

  private async onLock(isHeld: boolean): Promise<void> {
    if (isHeld) return this.takeLease("open");
    // The other tab has taken the lease over, too.
    this.token = null;
    this.set({ lease: { is: "elsewhere" } });
  }

  /** Takes the task from the other tab, or, where that is allowed, from whoever has it. */
  takeOver(): void {
    if (this.state.lease.is === "elsewhere") this.lock.steal();
    else void this.takeLease("takeOver");
  }

  /** Tries once more to get the task, and puts what is kept on what its draft is then. */
  readonly tryAgain = (): Promise<void> => this.takeLease("open");

  private async takeLease(how: "open" | "takeOver"): Promise<void> {
    const { user, task } = this.of.owner;
    const { given } = this;
    this.given = null;
    try {
      if (given !== null) return await this.hold(given);
      const { lease } = await (this.keeper ?? (await this.openKeeper())).read();
      const kept = how === "open" ? (readToken(user, task) ?? lease) : null;
      await this.hold(kept !== null && (await this.goOn(kept)) ? kept : await this.calls[how]());
    } catch (error) {
      const { code, by } = readHolder(error);
      const { status, detail } = readFailure(error);
      const reason = status === undefined ? "The server could not be reached." : detail;
      this.set({ lease: code === "lease_taken" ? { is: "taken", by } : { is: "refused", reason } });
    }
  }

  /** Whether a token from before is still that of the lease; without a connection that is found out at the first save. */
  private async goOn(token: string): Promise<boolean> {
    try {
      await this.calls.renew(token, 0);
      return true;
    } catch (error) {
      return readFailure(error).status === undefined;
    }
  }

  private async hold(token: string): Promise<void> {
    const { owner, found } = this.of;
    const isFirst = this.sender === null;
    this.token = token;
    writeToken(owner.user, owner.task, token);
    const keeper = this.keeper ?? (await this.openKeeper());
    this.sender ??= this.createSender(keeper);
    const { ops } = await keeper.read();
    // What the browser writes for itself is not on disk at once.
    await keeper.keepLease(token).catch(() => {});
    // Its own changes whose answers were lost are no changes of others: the server knows by their numbers.
    if (ops.length > 0) await this.sender.flush();
    const stored = await keeper.read();
    // Opening it may have begun a draft with what was rejected.
    const isAsSeen = isFirst && (found.draft !== null || found.earlier.length === 0);
    const seen = toServerDraft(isAsSeen ? found : await this.calls.read());
    // Older than what was just sent, or the server has gone back to a backup: it knows; without a connection nothing does.
    const isBehind = stored.version > seen.version;
    const known = isBehind ? await this.calls.read().then(toServerDraft, () => stored) : seen;
    const draft = await openDraft(keeper, known, this.of.name);
    if (this.token !== token) return;
    this.set({ draft, lease: { is: "held" } });
    void this.sender.flush();
  }

  private async openKeeper(): Promise<DraftKeeper> {
    try {
      void removeOldDrafts().catch(() => {});
      this.keeper = await DraftStore.open(this.of.owner);
    } catch (error) {
      this.keeper = new MemoryDraft();
      this.set({ refusal: why(error) });
    }
    return this.keeper;
  }

  private createSender(keeper: DraftKeeper): DraftSender {
    const save = async (request: Parameters<ServerCalls<TaskForEditor>["save"]>[1]) => {
      if (this.token === null) return { said: "taken" } as const;
      const { seconds, confirm } = this.timer.take();
      try {
        const saved = await this.calls.save(this.token, request, seconds);
        confirm();
        this.renewedAt = Date.now();
        return { said: "saved", ...saved } as const;
      } catch (error) {
        this.lostTo = readHolder(error).by;
        return toSaveAnswer(error);
      }
    };
    return new DraftSender(keeper, { save }, (send) => {
      const isNew = send.answer !== this.state.send.answer;
      this.set({ send });
      if (send.answer === "taken" && isNew) this.lose();
      if (send.answer === "moved" && !this.state.isReopening) void this.reopen();
    });
  }

  private lose(): void {
    if (this.token === null) return;
    this.forget();
    this.set({ lease: { is: "lost", by: this.lostTo, at: Date.now() } });
    // It may have been submitted.
    void this.calls.read().catch(() => {});
  }

  /** Somebody else changed the draft: what is kept is put on what it is now. */
  private async reopen(): Promise<void> {
    const { keeper } = this;
    if (!keeper) return;
    this.set({ isReopening: true });
    // A draft that others change all the time is not asked for all the time.
    const pause = this.reopenedAt + pauses.reopen - Date.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    this.reopenedAt = Date.now();
    try {
      const server = toServerDraft(await this.calls.read());
      this.since = [];
      const opened = await openDraft(keeper, server, this.of.name);
      // What was drawn until the stage stopped is stored behind what was merged.
      const shapes = applyOps(new Map(opened.shapes.map((shape) => [shape.id, shape])), this.since);
      this.set({ draft: { ...opened, shapes: [...shapes.values()] }, isReopening: false });
      await this.sender?.flush();
    } catch {
      setTimeout(() => void this.reopen(), pauses.reopen);
    } finally {
      this.since = null;
    }
  }

  /** Keeps finished changes, and sends them soon. */
  readonly add = (ops: readonly DraftOp[], kept: KeptWork): void => {
    const { keeper } = this;
    if (!keeper) return;
    this.since?.push(...ops);
    this.set({ storing: this.state.storing + 1 });
    void keeper
      .add(ops, kept)
      .catch((error: unknown) => this.addElsewhere(keeper, error, ops, kept))
      .then(() => {
        this.set({ storing: this.state.storing - 1, stored: this.state.stored + ops.length });
        this.sender?.changed(ops.length, this.state.refusal !== null);
      });
  };

  /** The browser stores no more: from now on changes are only sent. */
  private async addElsewhere(
    full: DraftKeeper,
    error: unknown,
    ...work: Parameters<DraftKeeper["add"]>
  ): Promise<void> {
    this.fallback ??= this.giveUp(full, error);
    await this.fallback;
    await this.keeper?.add(...work);
  }

  private async giveUp(full: DraftKeeper, error: unknown): Promise<void> {
    void this.sender?.stop();
    const memory = new MemoryDraft(await full.read().catch(() => undefined));
    this.keeper = memory;
    this.sender = this.createSender(memory);
    this.set({ refusal: why(error) });
  }

  readonly decide = (id: string): void => void this.keeper?.decide(id);

  readonly retry = (): void => void this.sender?.flush();

  /** Everything that the server may not have, for people to keep themselves. */
  async listWork(): Promise<object> {
    const { task } = this.of.found;
    const stored = await this.keeper?.read();
    if (!stored) return { task: task.uid, shapes: [] };
    const ops = stored.ops.map(({ op }) => op);
    return { task: task.uid, item: task.name, shapes: [...applyOps(stored.shapes, ops).values()], changes: ops };
  }

  /** Forgets own changes that were not sent. */
  async drop(): Promise<void> {
    await this.keeper?.clear();
    this.set({ draft: null, send: noneSent, lease: { is: "taken", by: this.lostTo } });
  }

  /**
   * Has everything on the server and passes on what ends the work there. Throws what that throws, and an error for people
   * while the server does not have everything.
   */
  async finish<Answer>(send: (held: { lease: string; version: number }) => Promise<Answer>): Promise<Answer> {
    await this.sender?.flush();
    const stored = await this.keeper?.read();
    if (this.token === null || !stored) throw new Error("You do not have this task any more.");
    if (stored.ops.length > 0) throw new Error("The server does not have all of your work yet.");
    try {
      const answer = await send({ lease: this.token, version: stored.version });
      this.forget();
      await this.keeper?.clear();
      return answer;
    } catch (error) {
      const { code, by } = readHolder(error);
      this.lostTo = by;
      if (code === "draft_moved") void this.reopen();
      if (code === "lease_lost") this.lose();
      throw error;
    }
  }

  noteInput(): void {
    this.timer.noteInput();
  }

  private tick(): void {
    this.timer.tick();
    if (this.token === null || !this.timer.isActive() || Date.now() - this.renewedAt < pauses.renew) return;
    this.renewedAt = Date.now();
    const { seconds, confirm } = this.timer.take();
    this.calls.renew(this.token, seconds).then(confirm, (error: unknown) => {
      const { code, by } = readHolder(error);
      // One that is over and that nobody took is renewed by the next save.
      if (code !== "lease_lost" || by === null) return;
      this.lostTo = by;
      this.lose();
    });
  }
}
