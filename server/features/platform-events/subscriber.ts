import type { PlatformEvents, PlatformEventType } from "@/domain/platform-events/schema";
import type { Ctx } from "@/server/platform/context";

/**
 * Receives platform events of one type inside the transaction that publishes them: all of one project and one type of task,
 * if they name any.
 */
export type PlatformEventSubscriber = <T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  bodies: readonly ({ event: T } & PlatformEvents[T])[],
) => Promise<void>;
