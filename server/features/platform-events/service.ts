import type { PlatformEvents, PlatformEventType } from "@/domain/platform-events/schema";
import { queueForAgents } from "@/server/features/platform-events/execution-queue-service";
import type { PlatformEventSubscriber } from "@/server/features/platform-events/subscriber";
import { queueForWebhooks } from "@/server/features/platform-events/webhook-queue-service";
import type { Ctx } from "@/server/platform/context";

/** Who hears of every platform event. */
const subscribers: readonly PlatformEventSubscriber[] = [queueForWebhooks, queueForAgents];

/**
 * Reports that something happened, in the transaction of the change itself: what subscribers write commits or rolls
 * back with it. Bodies are flat: `{event, …}`.
 */
export async function publish<T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  payload: PlatformEvents[T],
): Promise<void> {
  for (const subscriber of subscribers) await subscriber(ctx, type, { event: type, ...payload });
}
