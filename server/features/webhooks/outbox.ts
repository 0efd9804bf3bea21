import { claimDeliveries, deliver, dueDeliveries, type Claim } from "@/server/features/webhooks/delivery-service";
import { Outbox } from "@/server/platform/outbox/outbox";
import { processWide } from "@/server/platform/process-wide";

/** How many deliveries one process has under way at once, in all and to one subscription. */
export const webhookLimits = { total: 256, first: 8, most: 64 } as const;

/** An outbox of webhook deliveries; `organizationId` limits it to one organization's. */
export const makeWebhookOutbox = (organizationId: string | null = null): Outbox<Claim> =>
  new Outbox(
    {
      name: "webhooks",
      due: (at, choice, limit) => dueDeliveries(at, { ...choice, organizationId }, limit),
      claim: claimDeliveries,
      deliver,
    },
    webhookLimits,
  );

/** This process's outbox. */
export const webhookOutbox = (): Outbox<Claim> => processWide("webhookOutbox", () => makeWebhookOutbox());
