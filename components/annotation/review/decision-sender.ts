import type { Decision, DecisionKeeper } from "./decision-store";

/** How the server answered: it has the decision, it never takes it, or nobody knows yet. */
export type SendAnswer = { said: "done" } | { said: "refused"; why: string } | { said: "later"; why: string };

export interface HeldDecision extends Decision {
  /** `failed`: the server could not be reached; it is tried again. */
  phase: "waiting" | "sending" | "failed";
  why?: string;
}

/** A decision with what the server said of it. */
export interface SettledDecision {
  decision: Decision;
  answer: SendAnswer;
}

interface SenderWork {
  /** Sends what is due; resolves to the answers by result. */
  send: (decisions: readonly Decision[]) => Promise<ReadonlyMap<string, SendAnswer>>;
  onSettled: (settled: readonly SettledDecision[]) => void;
  /** Milliseconds in which a decision can be taken back. */
  undoMs: number;
}

const retryMs = 5_000;

/** Has one page at a time of this browser send decisions, where browsers have locks. */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  "locks" in navigator ? navigator.locks.request("muster.decisions", work) : work();

/**
 * Keeps decisions for a while in which they can be taken back, then sends each once: what is sent is removed, what is
 * removed is not sent, also by other pages of this browser; what was left behind by a page is sent by the next.
 */
export class DecisionSender {
  private held: readonly HeldDecision[] = [];
  /** When each is sent. */
  private readonly due = new Map<string, number>();
  /** Those that the browser refused to keep: this page alone has them. */
  private readonly unkept = new Map<string, Decision>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private isOver = false;

  constructor(
    private readonly keeper: Promise<DecisionKeeper>,
    private readonly work: SenderWork,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly getHeld = (): readonly HeldDecision[] => this.held;

  private set(held: readonly HeldDecision[]): void {
    this.held = held;
    for (const listener of this.listeners) listener();
  }

  private mark(results: ReadonlySet<string>, change: Pick<HeldDecision, "phase" | "why">): void {
    this.set(this.held.map((each) => (results.has(each.result) ? { ...each, ...change } : each)));
  }

  private forget(results: ReadonlySet<string>): void {
    for (const result of results) this.due.delete(result);
    this.set(this.held.filter((each) => !results.has(each.result)));
  }

  /** Has decisions sent in so many milliseconds; those that are due at the same time go together. */
  private plan(decisions: readonly Decision[], ms: number): void {
    const at = Date.now() + Math.max(0, ms);
    for (const { result } of decisions) this.due.set(result, at);
    this.wait();
  }

  private wait(): void {
    clearTimeout(this.timer);
    if (this.isOver || this.due.size === 0) return;
    const ms = Math.max(0, Math.min(...this.due.values()) - Date.now());
    this.timer = setTimeout(() => {
      const now = Date.now();
      void this.pass((result) => (this.due.get(result) ?? Infinity) <= now);
      this.wait();
    }, ms);
  }

  /** Takes up what earlier pages left behind. */
  async start(): Promise<void> {
    this.isOver = false;
    // What the browser does not give out now is taken up by the next page.
    const kept = await this.keeper.then((keeper) => keeper.list()).catch((): Decision[] => []);
    const known = new Set(this.held.map(({ result }) => result));
    const left = kept.filter(({ result }) => !known.has(result));
    this.set([...this.held, ...left.map((decision): HeldDecision => ({ ...decision, phase: "waiting" }))]);
    for (const decision of left) this.plan([decision], decision.at + this.work.undoMs - Date.now());
  }

  /** Resolves once all are kept, as far as the browser keeps anything. */
  async add(made: readonly Omit<Decision, "at">[]): Promise<void> {
    const at = Date.now();
    const decisions = made.map((each): Decision => ({ ...each, at }));
    const anew = new Set(decisions.map(({ result }) => result));
    const waiting = decisions.map((decision): HeldDecision => ({ ...decision, phase: "waiting" }));
    this.set([...this.held.filter(({ result }) => !anew.has(result)), ...waiting]);
    const keeper = await this.keeper;
    await keeper.put(decisions).then(
      () => decisions.forEach(({ result }) => this.unkept.delete(result)),
      () => decisions.forEach((decision) => this.unkept.set(decision.result, decision)),
    );
    this.plan(decisions, this.work.undoMs);
  }

  /** Takes back the last decision that was not sent yet, or that of a result; null where there is none. */
  async undo(result?: string): Promise<Decision | null> {
    const last = this.held.findLast((each) => each.phase === "waiting" && (result ?? each.result) === each.result);
    if (!last) return null;
    this.forget(new Set([last.result]));
    if (!this.unkept.delete(last.result)) await (await this.keeper).remove(last.result);
    return last;
  }

  /** Sends everything now: the page is being left. */
  flush(): Promise<void> {
    return this.pass(() => true);
  }

  /** Ends the timer, after everything was sent. */
  stop(): void {
    void this.flush();
    this.isOver = true;
    clearTimeout(this.timer);
  }

  private async pass(isMeant: (result: string) => boolean): Promise<void> {
    const before = this.held.filter(({ phase, result }) => phase !== "sending" && isMeant(result));
    if (before.length === 0) return;
    const results = new Set(before.map(({ result }) => result));
    for (const result of results) this.due.delete(result);
    this.mark(results, { phase: "sending" });
    const answers = await this.send(before).catch((error: unknown): ReadonlyMap<string, SendAnswer> => {
      // The browser gave no access to what it keeps.
      const why = error instanceof Error ? error.message : String(error);
      return new Map(before.map(({ result }) => [result, { said: "later", why }]));
    });
    const again: Decision[] = [];
    const settled: SettledDecision[] = [];
    for (const decision of before) {
      const { result } = decision;
      const answer = answers.get(result);
      if (answer?.said === "later") {
        this.mark(new Set([result]), { phase: "failed", why: answer.why });
        again.push(decision);
      } else {
        this.forget(new Set([result]));
        if (answer) settled.push({ decision, answer });
      }
    }
    this.plan(again, retryMs);
    if (settled.length > 0) this.work.onSettled(settled);
  }

  /** Sends those that are still kept. Throws where the browser gives no access to them. */
  private async send(decisions: readonly Decision[]): Promise<ReadonlyMap<string, SendAnswer>> {
    const keeper = await this.keeper;
    return alone(async () => {
      const found = await Promise.all(
        decisions.map(async ({ result }) => this.unkept.get(result) ?? keeper.get(result)),
      );
      // The others were taken back or sent by another page of this browser.
      const kept = found.filter((decision) => decision !== undefined);
      if (kept.length === 0) return new Map<string, SendAnswer>();
      const said = await this.work.send(kept);
      const over = kept.filter(({ result }) => said.get(result)?.said !== "later");
      for (const { result } of over) this.unkept.delete(result);
      // One that stays is sent again by the next page, and was decided then.
      await Promise.all(over.map(({ result }) => keeper.remove(result))).catch(() => {});
      return said;
    });
  }
}
