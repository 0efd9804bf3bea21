import { beforeAll, describe, expect, test } from "vitest";
import type { Condition } from "@/domain/conditions/condition";
import { memorySource } from "@/engine/formats/byte-source";
import { makeRules } from "@/engine/testing/compare-passes";
import { makeCase } from "@/engine/testing/recording-cases";
import { storedFacts } from "@/server/features/rules/facts-queries";
import { evaluatePast } from "@/server/features/rules/past";
import { evaluateStored } from "@/server/features/rules/stored-topics";
import { prisma } from "@/server/platform/db";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { objectStore } from "@/server/platform/storage/current";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

/** A processed recording with its signals, as evaluations see it. */
async function prepare(files: readonly Uint8Array[]): Promise<Parameters<typeof evaluateStored>[1]> {
  const uid = await processedRecording(
    org,
    deviceId,
    files.map((file) => Buffer.from(file)),
  );
  return { uid, facts: (await storedFacts(org.ctx, [uid])).get(uid)! };
}

const rule = (condition: Condition) => ({ uid: "one", version: 1, condition });

describe("rules over stored signals", () => {
  test.each([1, 2, 3, 4, 7, 8])("give what they give over messages: seed %i", async (seed) => {
    const { files, name } = await makeCase(seed, 300);
    const target = await prepare(files);
    const codecs = await recordingCodecs();
    let compared = 0;
    for (const each of (await makeRules(files.map(memorySource), codecs)).slice(0, 120)) {
      const stored = await evaluateStored(org.ctx, target, [each]);
      if (stored === null) continue;
      compared += 1;
      expect(stored, JSON.stringify(each.condition)).toEqual(await evaluatePast(org.ctx, target, [each]));
    }
    // Messages that cannot be decoded have no row, but count for rules.
    expect(compared > 20, `${compared} in ${name}`).toBe(!name.includes("damaged"));
  });

  test("are evaluated again without their files", async () => {
    const { files } = await makeCase(2, 100);
    const target = await prepare(files);
    const [each] = await makeRules(files.map(memorySource), await recordingCodecs());
    const first = await evaluateStored(org.ctx, target, [each!]);
    expect(first).not.toBeNull();
    for (const { storageKey } of await prisma.signalFile.findMany({ where: { recordingId: target.uid } }))
      await objectStore().delete(storageKey);
    expect(await evaluateStored(org.ctx, target, [each!])).toEqual(first);
    // Another field has to be read, and is read from the messages.
    const other: Condition = { type: "frequency", topic: "/*", count_operator: "gt", count: 3, window: "1s" };
    expect(await evaluateStored(org.ctx, target, [rule(other)])).toBeNull();
    const options = { cache: true };
    expect(await evaluatePast(org.ctx, target, [rule(other)], options)).toEqual(
      await evaluatePast(org.ctx, target, [rule(other)]),
    );
  });

  test("are not those of JSON, whose texts may be numbers to a rule", async () => {
    const target = await prepare([await jsonRecording({ "/motor/temp": temperatures([70, 90]) })]);
    const condition: Condition = {
      type: "threshold",
      topic: "/motor/temp",
      field: "data.value",
      operator: "gt",
      value: 80,
    };
    expect(await evaluateStored(org.ctx, target, [rule(condition)])).toBeNull();
  });
});
