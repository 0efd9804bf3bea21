import { claimNotifications, deliver, dueNotifications, type Claim } from "@/server/channels/deliver";
import type { Outcome } from "@/server/channels/sender";
import { logFor } from "@/server/log";
import { processWide } from "@/server/process-wide";

const log = logFor("channels");

/** How many messages one process has under way at once, in all and to one channel. */
export const outboxLimits = { total: 64, first: 4, most: 8 } as const;

const candidatesAtOnce = 200;

interface Target {
  limit: number;
  inFlight: number;
}

/**
 * Sends what is due, outside the slots of the job queue: a job only wakes it. How many messages go to one channel at once
 * adapts to how it fares, down to one, so that a dead receiver holds a single place and delays nobody else.
 */
export class Outbox {
  readonly #targets = new Map<string, Target>();
  readonly #inFlight = new Map<string, Promise<void>>();
  #pumping: Promise<void> | null = null;
  #again = false;
  #closed = false;
  #clock = () => new Date();

  /** `organizationId` limits it to one organization's messages. */
  constructor(private readonly organizationId: string | null = null) {}

  /** Looks for due messages now; resolves when those that can be sent at this moment are under way. */
  wake(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#again = true;
    this.#pumping ??= this.#pump().finally(() => {
      this.#pumping = null;
    });
    return this.#pumping;
  }

  /** Sends everything that is due at `at` (default: now) and waits for it; later retries stay queued. */
  async drain(at?: Date): Promise<void> {
    const clock = this.#clock;
    if (at) this.#clock = () => at;
    try {
      for (;;) {
        await this.wake();
        if (this.#inFlight.size === 0) return;
        await Promise.all(this.#inFlight.values());
      }
    } finally {
      this.#clock = clock;
    }
  }

  /** Starts nothing more, and waits for what is under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#pumping?.catch(() => {});
    await Promise.all(this.#inFlight.values());
  }

  async #pump(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      while ((await this.#startSome()) && !this.#closed);
    }
  }

  /** Starts what fits; false when nothing more is due or fits. */
  async #startSome(): Promise<boolean> {
    const room = outboxLimits.total - this.#inFlight.size;
    if (room <= 0) return false;
    const full = [...this.#targets].filter(([, target]) => target.inFlight >= target.limit).map(([channelId]) => channelId);
    const at = this.#clock();
    const except = [...this.#inFlight.keys()];
    const due = await dueNotifications(at, { full, except, organizationId: this.organizationId }, candidatesAtOnce);
    const chosen: string[] = [];
    const taken = new Map<string, number>();
    for (const { uid, channel_id } of due) {
      const target = this.#target(channel_id);
      const count = taken.get(channel_id) ?? 0;
      if (chosen.length >= room || target.inFlight + count >= target.limit) continue;
      taken.set(channel_id, count + 1);
      chosen.push(uid);
    }
    if (chosen.length === 0) return false;
    for (const claim of await claimNotifications(chosen, at)) this.#start(claim);
    return true;
  }

  #start(claim: Claim): void {
    const target = this.#target(claim.channel_id);
    target.inFlight++;
    const done = deliver(claim, this.#clock)
      .then((outcome) => adapt(target, outcome))
      // The claim runs out by itself, and another attempt is made then.
      .catch((error: unknown) => log.error({ err: error, notification: claim.uid }, "what became of a message was not noted"))
      .finally(() => {
        target.inFlight--;
        this.#inFlight.delete(claim.uid);
        if (target.inFlight === 0 && this.#targets.size > 10_000) this.#targets.delete(claim.channel_id);
        this.wake().catch((error: unknown) => log.warn({ err: error }, "could not look for due messages"));
      });
    this.#inFlight.set(claim.uid, done);
  }

  #target(channelId: string): Target {
    let target = this.#targets.get(channelId);
    if (!target) this.#targets.set(channelId, (target = { limit: outboxLimits.first, inFlight: 0 }));
    return target;
  }
}

/** One more after a success, half after a sign of trouble; a plain refusal (4xx) says nothing about how much fits. */
function adapt(target: Target, { ok, statusCode }: Outcome): void {
  if (ok) target.limit = Math.min(outboxLimits.most, target.limit + 1);
  else if (statusCode === null || statusCode >= 500 || statusCode === 429) {
    target.limit = Math.max(1, Math.floor(target.limit / 2));
  }
}

/** This process's outbox. */
export const outbox = (): Outbox => processWide("outbox", () => new Outbox());
