import { beforeAll, describe, expect, test } from "vitest";
import { rawPoints } from "@/engine/signals/series-raw";
import { openBytes } from "@/engine/testing/drain";
import { makeCase } from "@/engine/testing/recording-cases";
import { readStoredPoints } from "@/server/features/stored-signals/points-service";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { processedRecording } from "@/server/testing/processing";

let org: TestOrganization;
let deviceId: string;
beforeAll(async () => {
  org = await makeOrganization();
  deviceId = (await makeDevice(org)).uid;
});

describe("numbers of a window", () => {
  test.each([2, 3, 8])("are the same from signals as from messages: seed %i", async (seed) => {
    const { files } = await makeCase(seed, 400);
    const uid = await processedRecording(
      org,
      deviceId,
      files.map((file) => Buffer.from(file)),
    );
    const topics = await prisma.topic.findMany({ where: { recordingId: uid, encoding: { not: "json" } } });
    const reader = await openBytes(files);
    const { startTime, endTime } = await reader.summary();
    const part = (endTime - startTime) / 10n;
    let compared = 0;
    for (const { name } of topics) {
      const series = await prisma.series.findMany({ where: { recordingId: uid, topic: name, kind: "number" } });
      for (const { field } of series) {
        for (const [from, to, points] of [
          [startTime, endTime, 20],
          [startTime + 3n * part, startTime + 4n * part, 500],
        ] as const) {
          const window = { topic: name, field, from, to, points };
          const stored = await readStoredPoints(org.ctx, uid, window);
          if (stored === null) continue;
          compared += 1;
          expect(stored, `${name} ${field}`).toEqual(await rawPoints(reader, window, new AbortController().signal));
        }
      }
    }
    expect(compared).toBeGreaterThan(3);
  });
});
