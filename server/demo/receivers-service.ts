import { demoReceiver } from "@/domain/demo/receiver";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { createChannel } from "@/server/features/channels/service";
import { createWebhook } from "@/server/features/webhooks/service";
import type { Ctx } from "@/server/platform/context";

/** The channel that the demo's most severe rules notify. Returns its uid. */
export async function makeDemoChannel(tx: Ctx): Promise<string> {
  const present = await tx.db.channel.findFirst({
    where: { organizationId: tx.organizationId, demo: true },
    select: { uid: true },
  });
  const config = { url: demoReceiver.alerts };
  return (
    present?.uid ?? (await createChannel(tx, { name: "Demo control room", type: "webhook", config, demo: true })).uid
  );
}

/** The webhook that receives all events of the demo. */
export async function makeDemoWebhook(tx: Ctx): Promise<void> {
  const where = { organizationId: tx.organizationId, demo: true };
  if ((await tx.db.webhookSubscription.count({ where })) > 0) return;
  await createWebhook(tx, { target_url: demoReceiver.events, events: [...platformEventTypes], demo: true });
}
