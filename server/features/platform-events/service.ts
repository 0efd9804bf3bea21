import type { PlatformEvents, PlatformEventType } from "@/domain/platform-events/schema";
import { queueForAgents } from "@/server/features/platform-events/execution-queue-service";
import type { PlatformEventSubscriber } from "@/server/features/platform-events/subscriber";
import { queueForWebhooks } from "@/server/features/platform-events/webhook-queue-service";
import type { Ctx } from "@/server/platform/context";

/** The subscribers of every platform event. */
const subscribers: readonly PlatformEventSubscriber[] = [queueForWebhooks, queueForAgents];

/**
 * Publishes an event in the transaction of the change that it reports: what subscribers write commits or rolls back
 * with the change. Bodies are flat: `{event, …}`.
 */
export async function publish<T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  payload: PlatformEvents[T],
): Promise<void> {
  await publishSeveral(ctx, type, [payload]);
}

/** As `publish`, for events of one type that are about one project and one type of task. */
export async function publishSeveral<T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  payloads: readonly PlatformEvents[T][],
): Promise<void> {
  if (payloads.length === 0) return;
  const bodies = payloads.map((payload) => ({ event: type, ...payload }));
  for (const subscriber of subscribers) await subscriber(ctx, type, bodies);
}
