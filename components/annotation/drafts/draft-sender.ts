import type { DraftOp } from "@/domain/annotations/draft-schema";
import type { DraftKeeper, NumberedOp } from "./draft-keeper";

/** What the server says of changes. */
export type SaveAnswer =
  | { said: "saved"; version: number; n: number }
  /** Try again after so many seconds: 429 and 503. */
  | { said: "wait"; seconds: number }
  | { said: "unreachable" }
  | { said: "signed_out" }
  /** Somebody else has the task, or changed the draft: nothing more is sent until it was opened anew. */
  | { said: "taken" | "moved" }
  | { said: "refused"; detail: string };

export interface SaveRequest {
  client: string;
  /** The number of the last change in it. */
  n: number;
  base: number;
  ops: DraftOp[];
}

export interface DraftTransport {
  save: (request: SaveRequest) => Promise<SaveAnswer>;
}

export interface SendState {
  /** Changes that the server does not have. */
  waiting: number;
  /** What it said last; null before it was asked. */
  answer: SaveAnswer["said"] | null;
  detail: string | null;
  /** Since when there are changes that the server does not have, in milliseconds; null while it has all. */
  waitingSince: number | null;
}

export const noneSent: SendState = { waiting: 0, answer: null, detail: null, waitingSince: null };

/** Milliseconds after the last change, and after the first that waits, at which changes are sent. */
const pauses = { afterLast: 1_000, atMost: 3_000, unreachable: 5_000 };
const limits = { ops: 500, bytes: 256 * 1024 };

/** As many changes from the first on as one request may have; at least one. */
export function takeOps(ops: readonly NumberedOp[]): readonly NumberedOp[] {
  let bytes = 0;
  const end = ops.findIndex(({ op }, at) => {
    bytes += JSON.stringify(op).length;
    return at > 0 && (at >= limits.ops || bytes > limits.bytes);
  });
  return end < 0 ? ops : ops.slice(0, end);
}

/** Sends what the store holds, one request after the other. A request whose answer is lost is sent again with its numbers. */
export class DraftSender {
  state: SendState = noneSent;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private firstAt: number | null = null;
  private current: Promise<void> = Promise.resolve();
  private isOver = false;

  constructor(
    private readonly store: DraftKeeper,
    private readonly transport: DraftTransport,
    private readonly onState: (state: SendState) => void,
  ) {}

  /** So many changes were stored that have to be sent soon, or at once. */
  changed(count: number, isUrgent = false): void {
    const now = Date.now();
    this.set({ waiting: this.state.waiting + count });
    if (isUrgent) return void this.flush();
    this.firstAt ??= now;
    this.plan(Math.min(pauses.afterLast, Math.max(0, this.firstAt + pauses.atMost - now)));
  }

  private plan(ms: number): void {
    clearTimeout(this.timer);
    if (!this.isOver) this.timer = setTimeout(() => void this.flush(), ms);
  }

  /** Sends now, all that there is or until the server says no. Resolves when it is done; rejects never. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.firstAt = null;
    this.current = this.current.then(() => this.sendAll());
    return this.current;
  }

  private async sendAll(): Promise<void> {
    try {
      await this.sendStored();
    } catch {
      // The browser gave no access to the store. What it holds is sent later: the server knows repeated changes by their numbers.
      this.plan(pauses.unreachable);
    }
  }

  private async sendStored(): Promise<void> {
    while (!this.isOver) {
      const { ops, client, version } = await this.store.read();
      const sent = takeOps(ops);
      const end = sent.at(-1);
      this.set({ waiting: ops.length });
      if (!end || this.isOver) return;
      const answer = await this.transport
        .save({ client, n: end.n, base: version, ops: sent.map(({ op }) => op) })
        .catch((): SaveAnswer => ({ said: "unreachable" }));
      this.set({ answer: answer.said, detail: answer.said === "refused" ? answer.detail : null });
      if (answer.said === "wait") return this.plan(answer.seconds * 1_000);
      if (answer.said === "unreachable") return this.plan(pauses.unreachable);
      if (answer.said !== "saved") return;
      await this.store.acknowledge(answer.n, answer.version);
    }
  }

  private set(change: Partial<SendState>): void {
    const next = { ...this.state, ...change };
    this.state = { ...next, waitingSince: next.waiting === 0 ? null : (next.waitingSince ?? Date.now()) };
    this.onState(this.state);
  }

  /** Sends nothing more; what is stored stays. Resolves when it does not use the store any more. */
  stop(): Promise<void> {
    this.isOver = true;
    clearTimeout(this.timer);
    return this.current;
  }
}
