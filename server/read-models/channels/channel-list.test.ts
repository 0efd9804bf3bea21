import { beforeAll, expect, test } from "vitest";
import { ChannelFilters } from "@/domain/channels/schema";
import { createRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { listChannelOverviews } from "@/server/read-models/channels/channel-list";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const readOverview = async (uid: string) =>
  (await listChannelOverviews(org.ctx, ChannelFilters.parse({}))).results.find((channel) => channel.uid === uid);

test("the list of channels has the rules that notify each, and the outcome of its newest messages", async () => {
  const { uid } = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
  expect(await readOverview(uid)).toMatchObject({ rules: [], last: null, failed: 0 });

  const rule = await createRule(org.ctx, {
    name: "Hot",
    condition: { type: "absence", topic: "/motor", timeout: "10s" },
    actions: [{ type: "notify", channel_id: uid }],
  });
  const failed = await makeAlert(org, { channelIds: [uid] });
  const error = "the receiver answered 500";
  await prisma.notification.updateMany({ where: { alertId: failed.alertId }, data: { status: "failed", error } });
  const updated = await prisma.notification.findFirstOrThrow({ where: { alertId: failed.alertId } });
  const last = { status: "failed", at: updated.updatedAt.toISOString(), error };
  expect(await readOverview(uid)).toMatchObject({ rules: [{ uid: rule.uid, name: "Hot" }], last, failed: 1 });

  const canceled = await makeAlert(org, { channelIds: [uid] });
  await prisma.notification.updateMany({ where: { alertId: canceled.alertId }, data: { status: "canceled" } });
  expect(await readOverview(uid)).toMatchObject({ last, failed: 1 });
  await makeAlert(org, { channelIds: [uid] });
  expect(await readOverview(uid)).toMatchObject({ last: { status: "pending", error: null }, failed: 1 });
});
