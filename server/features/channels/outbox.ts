import { claimNotifications, deliver, dueNotifications, type Claim } from "@/server/features/channels/delivery-service";
import { Outbox } from "@/server/platform/outbox/outbox";
import { processWide } from "@/server/platform/process-wide";

/** How many messages one process has under way at once, in all and to one channel. */
export const outboxLimits = { total: 64, first: 4, most: 8 } as const;

/** An outbox of channel messages; `organizationId` limits it to one organization's. */
export const makeOutbox = (organizationId: string | null = null): Outbox<Claim> =>
  new Outbox(
    {
      name: "channels",
      due: (at, choice, limit) => dueNotifications(at, { ...choice, organizationId }, limit),
      claim: claimNotifications,
      deliver,
    },
    outboxLimits,
  );

/** This process's outbox. */
export const outbox = (): Outbox<Claim> => processWide("outbox", () => makeOutbox());
