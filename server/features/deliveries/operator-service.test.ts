import { expect, test } from "vitest";
import { listDeliveries, retryDelivery } from "@/server/features/deliveries/operator-service";
import { listOrganizations } from "@/server/features/organizations/installation-service";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { createWebhook } from "@/server/features/webhooks/service";
import { prisma } from "@/server/platform/db";
import { countPending } from "@/server/platform/outbox/queries";
import { makeOrganization } from "@/server/testing/factories";

test("the operator finds an organization's failed delivery, and a retry sends a copy of it", async () => {
  const org = await makeOrganization();
  const hook = await createWebhook(org.ctx, { target_url: "https://hooks.example.com/x", events: ["dataset.created"] });
  const [uid = ""] = await queueDeliveries(org.ctx, [hook.uid], "dataset.created", { event: "dataset.created" });
  await prisma.webhookDelivery.update({ where: { uid }, data: { status: "failed", nextAttemptAt: null } });
  const organization = await prisma.organization.findUniqueOrThrow({ where: { uid: org.uid } });
  const filters = { failed: true, organization: organization.slug, before: "", limit: 10 };
  expect(await listDeliveries(filters)).toMatchObject([{ uid, outbox: "webhooks", receiver: hook.uid }]);

  expect(await retryDelivery(uid, "command line")).toBe("webhooks");
  const [pending] = await countPending([webhookDeliveries]);
  expect(pending?.pending).toBeGreaterThan(0);
  await prisma.webhookDelivery.deleteMany({ where: { organizationId: org.uid } });
});

test("organizations are listed by uid, page by page", async () => {
  const first = await makeOrganization();
  const second = await makeOrganization();
  const [found] = await listOrganizations(first.uid, 1);
  expect(found).toMatchObject({ uid: second.uid, members: 1, devices: 0, storage_bytes: 0 });
});
