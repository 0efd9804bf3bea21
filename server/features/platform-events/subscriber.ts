import type { PlatformEvents, PlatformEventType } from "@/domain/platform-events/schema";
import type { Ctx } from "@/server/platform/context";

/** Receives platform events inside the transaction that publishes them. */
export type PlatformEventSubscriber = <T extends PlatformEventType>(
  ctx: Ctx,
  type: T,
  body: { event: T } & PlatformEvents[T],
) => Promise<void>;
