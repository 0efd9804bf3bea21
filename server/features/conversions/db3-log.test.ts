import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NotConvertible, type Conversion, type ConversionSink } from "@/engine/formats/conversion";
import { mutateFiles } from "@/engine/testing/recording-cases";
import { convertDb3 } from "@/server/features/conversions/db3";
import { convertWithLog } from "@/server/features/conversions/db3-log";
import { TypeSchemas } from "@/server/features/conversions/type-schemas";
import { KnownDefinitions } from "@/server/features/message-definitions/known-definitions";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { writeDb3WithLog } from "@/server/testing/db3";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "muster-log-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sink: ConversionSink = {
  addChannel: () => Promise.resolve(0),
  addMessage: () => Promise.resolve(),
  addMetadata: () => Promise.resolve(),
};
const steps = { isDue: () => false, pause: () => Promise.resolve() };

/** What is read of a db3 file with this log beside it; null when that is nothing. */
async function convert(db3: Buffer, wal: Uint8Array): Promise<Conversion | null> {
  const location = path.join(folder, "source.db3");
  writeFileSync(location, db3);
  writeFileSync(`${location}-wal`, wal);
  const { zstd } = await recordingCodecs();
  const options = {
    ...steps,
    schemas: new TypeSchemas(new KnownDefinitions([])),
    zstd,
    fileBytes: db3.length + wal.length,
  };
  const file = { path: location, name: "run.db3", logName: "run.db3-wal", hasLog: true, describedCount: null };
  try {
    const written = await convertWithLog(file, steps, async () => ({
      ...{ location, bytes: 0, conversion: await convertDb3(location, sink, options) },
    }));
    return written.conversion;
  } catch (error) {
    if (error instanceof NotConvertible) return null;
    throw error;
  }
}

test.each([
  ["of the first round", 60, null],
  ["begun anew", 60, 40],
  ["over a checkpoint", 200, 120],
])("no message is lost without a word when bytes of a write-ahead log changed: %s", async (_, count, inFile) => {
  const messages = Array.from({ length: count }, (_each, at) => ({
    topic: 1,
    time: BigInt(at),
    data: Buffer.alloc(12 + (at % 3) * 900, at),
  }));
  const { db3, wal } = writeDb3WithLog({ topics: [{ name: "/x", type: "made_msgs/msg/X" }], messages }, inFile);
  const whole = await convert(db3, wal);
  expect(whole).toMatchObject({ messageCount: count, truncated: false });
  let lost = 0;
  for (let seed = 0; seed < 60; seed++) {
    const read = await convert(db3, mutateFiles([wal], seed)[0]!);
    if (read === null) continue;
    expect(read.messageCount).toBeLessThanOrEqual(count);
    if (read.messageCount === count) continue;
    lost += 1;
    expect(read.warnings.join(), `seed ${seed}: ${read.messageCount}`).toMatch(/run\.db3-wal/);
  }
  expect(lost).toBeGreaterThan(3);
});
