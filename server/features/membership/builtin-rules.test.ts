import { beforeEach, expect, test } from "vitest";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { evaluateLiveRules } from "@/server/features/rules/live-service";
import { getRule, updateRule } from "@/server/features/rules/service";
import { prisma } from "@/server/platform/db";
import { makeChannel } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";

/** "Battery low", as organizations have it, from what devices send to the messages of its alerts. */

let org: TestOrganization;
let rule: string;
const start = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000);
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

beforeEach(async () => {
  org = await makeOrganization();
  const channel = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
  const { uid } = await prisma.rule.findFirstOrThrow({ where: { organizationId: org.uid, live: true, builtin: true } });
  await updateRule(org.ctx, uid, { enabled: true, actions: [{ type: "notify", channel_id: channel.uid }] });
  await prisma.rule.update({ where: { uid }, data: { liveSince: at(-1) } });
  rule = uid;
});

/** Six minutes of heartbeats, of which rules look at each. */
async function send(device: string, from: number, metrics: object): Promise<void> {
  for (let seconds = from; seconds <= from + 360; seconds += 30) {
    await recordHeartbeat(org.ctx, device, { timestamp: at(seconds), metrics: { cpu: 0.2, ...metrics } });
    await evaluateLiveRules({ silence: true }, at(seconds + 1));
  }
}

test.each([
  ["battery", 0.08, 1],
  ["battery_percent", 8, 100],
  ["soc", 0.08, 1],
  ["battery.level", 8, 100],
])("watches %s: %d is low for six minutes, %d is not, and low again opens and sends again", async (name, low, full) => {
  const { uid } = await makeDevice(org);
  await prisma.device.update({ where: { uid }, data: { createdAt: at(-2) } });
  const [member, inner] = name.split(".");
  const metrics = (value: number) => ({ [member!]: inner === undefined ? value : { [inner]: value } });
  const read = async () => {
    const alerts = await prisma.alert.findMany({ where: { ruleId: rule }, orderBy: { uid: "asc" } });
    const opened = alerts.map(({ uid: alertId }) =>
      prisma.notification.count({ where: { alertId, event: "alert.triggered" } }),
    );
    const sent = await Promise.all(opened);
    return alerts.map(({ status, note, message }, n) => ({ status, note, message, sent: sent[n] }));
  };
  const message = expect.stringMatching(/^Battery 8 % \(.* for 5 min\)$/);

  await send(uid, 0, metrics(low));
  expect(await read()).toEqual([{ status: "open", note: "", message, sent: 1 }]);
  await send(uid, 400, metrics(full));
  expect(await read()).toMatchObject([{ status: "resolved", note: "auto" }]);
  await send(uid, 800, metrics(low));
  expect(await read()).toMatchObject([
    { status: "resolved", note: "auto" },
    { status: "open", note: "", message, sent: 1 },
  ]);
});

test("says in a few words what it watches", async () => {
  const { condition_text: text } = await getRule(org.ctx, rule);
  expect(text).toMatch(/^Battery below 20 % for 5 min or Battery between 1 % and 20 % for 5 min$/);
});
