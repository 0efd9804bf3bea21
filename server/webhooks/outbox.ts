import { Outbox } from "@/server/egress/outbox";
import { processWide } from "@/server/process-wide";
import { claimDeliveries, deliver, dueDeliveries, type Claim } from "@/server/webhooks/deliver";

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
