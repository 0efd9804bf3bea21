import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { addMember, makeKey, type TestOrganization } from "@/server/testing/factories";
import { dataLoopIds, seedDataLoop, slugOfMark, type DataLoopIds } from "@/server/testing/seed-data-loop";
import { fleetIds, seedFleet, type FleetIds } from "@/server/testing/seed-fleet";

/** What an organization was seeded with. */
export interface Seeded {
  /** Every identifier. */
  ids: string[];
  /** Identifiers by what they name. */
  by: FleetIds & DataLoopIds & { user: string; webhook: string };
  /** Names that take the place of an identifier in a path. */
  slugs: string[];
  /** The paths whose responses show the mark to the organization's owner. */
  lists: string[];
}

/** Creates one row of every kind, with `mark` in every field that can hold text. */
export async function seedOrganization(organization: TestOrganization, mark: string): Promise<Seeded> {
  const organizationId = organization.uid;
  const text = (field: string) => `${mark} ${field}`;
  const json: Prisma.InputJsonObject = { [mark]: text("json") };
  const member = await addMember(organization);
  const by = { ...fleetIds(), ...dataLoopIds(), user: member.uid, webhook: uuidv7() };
  await makeKey(organization, member, { name: text("key") });
  const invitation = uuidv7();
  const view = uuidv7();
  const { webhook } = by;
  const delivery = uuidv7();
  const replay = uuidv7();

  await prisma.invitation.create({
    data: {
      uid: invitation,
      organizationId,
      email: `${mark.toLowerCase()}@example.com`,
      role: "member",
      tokenHash: `${mark} token`,
      tokenSealed: text("sealed"),
      expiresAt: new Date("2099-01-01"),
    },
  });
  await seedFleet({ organizationId, mark, by, member: member.uid });
  await prisma.webhookSubscription.create({
    data: {
      uid: webhook,
      organizationId,
      targetUrl: `https://example.com/${mark}`,
      normalizedUrl: `https://example.com/${mark}`,
      events: ["dataset.created"],
      secretSealed: text("sealed"),
    },
  });
  await prisma.webhookDelivery.create({
    data: {
      uid: delivery,
      organizationId,
      subscriptionId: webhook,
      eventType: "dataset.created",
      payload: { ...json, dataset_uid: by.dataset },
      objectId: by.dataset,
      status: "failed",
      responseBody: text("response"),
      error: text("error"),
    },
  });
  await prisma.webhookAttempt.create({
    data: {
      uid: uuidv7(),
      deliveryId: delivery,
      startedAt: new Date("2026-01-01"),
      durationMs: 1,
      ok: false,
      response: text("response"),
    },
  });
  await prisma.webhookReplay.create({
    data: { uid: replay, organizationId, subscriptionId: webhook, status: "running", total: 1, releasedAt: new Date() },
  });
  await seedDataLoop({ organizationId, mark, by, member: member.uid });
  await prisma.savedView.create({
    data: {
      uid: view,
      organizationId,
      ownerId: member.uid,
      ownerName: text("owner"),
      screen: "devices",
      name: text("view"),
      query: text("query"),
      shared: true,
    },
  });
  const layoutId = uuidv7();
  const layout = { organizationId, name: text("layout"), tree: { [mark]: text("tree") }, createdByName: text("owner") };
  await prisma.panelLayout.create({ data: { ...layout, uid: layoutId } });
  await prisma.panelLayoutUse.create({
    data: { organizationId, userId: member.uid, deviceType: text("type"), layoutId },
  });
  await prisma.auditEntry.create({
    data: {
      uid: uuidv7(),
      organizationId,
      actorType: "user",
      actorId: member.uid,
      actorName: text("actor"),
      action: "device.updated",
      targetType: "device",
      targetId: by.device,
      targetName: text("device"),
      before: json,
      after: json,
    },
  });
  const call = { actorType: "api_key", actorId: member.uid, actorName: text("caller"), tool: "devices_list", ms: 3 };
  await prisma.mcpCall.create({ data: { ...call, uid: uuidv7(), organizationId, outcome: "ok" } });

  return {
    ids: [...Object.values(by), invitation, view, layoutId, delivery, replay, organization.slug, "1"],
    by,
    slugs: [organization.slug, slugOfMark(mark)],
    lists: [
      "/fleet/devices/",
      `/fleet/devices/${by.device}/`,
      "/fleet/groups/",
      "/fleet/recordings/",
      `/fleet/recordings/${by.recording}/`,
      "/fleet/events/",
      "/fleet/rules/",
      "/fleet/alerts/",
      `/fleet/alerts/${by.alert}/`,
      "/fleet/alerts/channels/",
      "/fleet/silences/",
      "/fleet/message-definitions/",
      "/fleet/robot-descriptions/",
      "/webhooks/",
      "/webhook-deliveries/",
      `/webhook-deliveries/${delivery}/`,
      "/datasets/",
      `/datasets/${organization.slug}/${slugOfMark(mark)}/items/`,
      `/datasets/${organization.slug}/${slugOfMark(mark)}/sequences/`,
      `/datasets/${organization.slug}/${slugOfMark(mark)}/moments/`,
      `/slices/${organization.slug}/list/`,
      `/slices/${organization.slug}/${slugOfMark(mark)}/items/list/`,
      `/projects/${organization.slug}/`,
      "/tasks/",
      `/tasks/${by.task}/results/`,
      `/projects/${by.project}/imports/`,
      `/imports/${by.import}/report/`,
      "/storage-configs/",
      "/exports/",
      "/models/",
      `/models/${by.model}/integrations/`,
      "/models/runs/",
      "/agents/",
      `/agents/${by.agent}/executions/`,
    ],
  };
}
