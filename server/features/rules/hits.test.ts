import { expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

const condition = {
  type: "threshold" as const,
  topic: "/motor/temp",
  field: "data.value",
  operator: "gt" as const,
  value: 80,
};

/** Two devices with a rule that triggered twice on the first and once on the second. */
async function recordHits() {
  const own = await makeOrganization();
  const trpc = createTrpcCaller(own);
  const rule = await trpc.rules.create({ name: "Hot", condition, actions: [{ type: "flag_for_review" }] });
  const [first, second] = [await makeDevice(own, { name: "Arm A1" }), await makeDevice(own, { name: "Arm B1" })];
  const recordings = [
    await processedRecording(own, first.uid, [await jsonRecording({ "/motor/temp": temperatures([91, 70, 86]) })]),
    await processedRecording(own, second.uid, [await jsonRecording({ "/motor/temp": temperatures([84]) })]),
  ];
  return { own, trpc, rule, second, recordings };
}

test("hits name their device as it is called now", async () => {
  const { own, trpc, rule, second } = await recordHits();
  const listNames = async () => {
    const { results } = await trpc.rules.hits({ uid: rule.uid, limit: 10 });
    return results.map(({ device_name }) => device_name).sort();
  };
  expect(await listNames()).toEqual(["Arm A1", "Arm A1", "Arm B1"]);
  await prisma.device.update({ where: { uid: second.uid, organizationId: own.uid }, data: { name: "Arm B2" } });
  expect(await listNames()).toEqual(["Arm A1", "Arm A1", "Arm B2"]);
});

test("what people decided comes with how far the hits of its recording went, where that is asked for", async () => {
  const { trpc, rule, recordings } = await recordHits();
  const { results } = await trpc.alerts.ofRule({ uid: rule.uid, limit: 10 });
  for (const { uid, recording_id } of results)
    await trpc.alerts.resolve({ uid, reason: recording_id === recordings[0] ? "fixed" : "false_alarm" });
  const [fixed, wrong] = [
    { recording_id: recordings[0], judgement: "fixed" },
    { recording_id: recordings[1], judgement: "false_alarm" },
  ];
  const { uid } = rule;
  expect(await trpc.rules.outcomes({ uid })).toHaveLength(2);
  expect((await trpc.rules.outcomes({ uid })).every((each) => each.hit_count === undefined)).toBe(true);
  const peaked = await trpc.rules.outcomes({ uid, peaks: true });
  expect(peaked).toHaveLength(2);
  expect(peaked).toEqual(
    expect.arrayContaining([
      { ...fixed, hit_count: 2, lowest_peak: 86, highest_peak: 91 },
      { ...wrong, hit_count: 1, lowest_peak: 84, highest_peak: 84 },
    ]),
  );
});
