import type { Decision, DecisionKeeper } from "./decision-store";

/** How the server answered: it has the decision, it never takes it, or nobody knows yet. */
export type SendAnswer = { said: "done" } | { said: "refused"; why: string } | { said: "later"; why: string };

export interface HeldDecision extends Decision {
  /** `failed`: the server could not be reached; it is tried again. */
  phase: "waiting" | "sending" | "failed";
  why?: string;
}

interface SenderWork {
  send: (decision: Decision) => Promise<SendAnswer>;
  onSettled: (decision: Decision, answer: SendAnswer) => void;
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
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
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

  private mark(result: string, change: Pick<HeldDecision, "phase" | "why">): void {
    this.set(this.held.map((each) => (each.result === result ? { ...each, ...change } : each)));
  }

  private forget(result: string): void {
    clearTimeout(this.timers.get(result));
    this.timers.delete(result);
    this.set(this.held.filter((each) => each.result !== result));
  }

  private plan({ result }: Decision, ms: number): void {
    clearTimeout(this.timers.get(result));
    if (!this.isOver)
      this.timers.set(
        result,
        setTimeout(() => void this.pass(result), Math.max(0, ms)),
      );
  }

  /** Takes up what earlier pages left behind. */
  async start(): Promise<void> {
    this.isOver = false;
    const kept = await (await this.keeper).list();
    const known = new Set(this.held.map(({ result }) => result));
    const left = kept.filter(({ result }) => !known.has(result));
    this.set([...this.held, ...left.map((decision): HeldDecision => ({ ...decision, phase: "waiting" }))]);
    for (const decision of left) this.plan(decision, decision.at + this.work.undoMs - Date.now());
  }

  /** Resolves once it is kept. */
  async add(made: Omit<Decision, "at">): Promise<void> {
    const decision: Decision = { ...made, at: Date.now() };
    this.set([...this.held.filter(({ result }) => result !== decision.result), { ...decision, phase: "waiting" }]);
    await (await this.keeper).put(decision);
    this.plan(decision, this.work.undoMs);
  }

  /** Takes back the last decision that was not sent yet, or that of a result; null where there is none. */
  async undo(result?: string): Promise<Decision | null> {
    const last = this.held.findLast((each) => each.phase === "waiting" && (result ?? each.result) === each.result);
    if (!last) return null;
    this.forget(last.result);
    await (await this.keeper).remove(last.result);
    return last;
  }

  /** Sends everything now: the page is being left. */
  async flush(): Promise<void> {
    await Promise.all(this.held.filter(({ phase }) => phase !== "sending").map(({ result }) => this.pass(result)));
  }

  /** Ends the timers, after everything was sent. */
  stop(): void {
    void this.flush();
    this.isOver = true;
  }

  private async pass(result: string): Promise<void> {
    const before = this.held.find((each) => each.result === result);
    if (!before || before.phase === "sending") return;
    this.mark(result, { phase: "sending" });
    const keeper = await this.keeper;
    const answer = await alone(async () => {
      const decision = await keeper.get(result);
      // Another page of this browser took it back, or sent it.
      if (!decision) return null;
      const said = await this.work.send(decision);
      if (said.said !== "later") await keeper.remove(result);
      return said;
    });
    if (answer?.said === "later") {
      this.mark(result, { phase: "failed", why: answer.why });
      return this.plan(before, retryMs);
    }
    this.forget(result);
    if (answer) this.work.onSettled(before, answer);
  }
}
