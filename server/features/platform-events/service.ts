import type { PlatformEvents, PlatformEventType } from "@/domain/platform-events/schema";
import type { Ctx } from "@/server/platform/context";
import { processWide } from "@/server/platform/process-wide";

/** Something that is told of platform events, inside the transaction that caused them. */
export type PlatformEventSubscriber = <T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  body: { event: T } & PlatformEvents[T],
) => Promise<void>;

const subscribers = processWide("platformEventSubscribers", () => new Map<string, PlatformEventSubscriber>());

/**
 * Registers who writes rows for an event (webhook deliveries, agent executions). The name makes it once per process.
 */
export function subscribeToPlatformEvents(name: string, subscriber: PlatformEventSubscriber): void {
  subscribers.set(name, subscriber);
}

/**
 * Reports that something happened, in the transaction of the change itself: what subscribers write commits or rolls
 * back with it. Bodies are flat: `{event, …}`.
 */
export async function publish<T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  payload: PlatformEvents[T],
): Promise<void> {
  for (const subscriber of subscribers.values()) await subscriber(ctx, type, { event: type, ...payload });
}
