import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NotConvertible } from "@/engine/formats/conversion";
import { RecordingError } from "@/engine/formats/recording-error";
import { mutateFiles } from "@/engine/testing/recording-cases";
import { convertDb3 } from "@/server/features/conversions/db3";
import { McapFile } from "@/server/features/conversions/mcap-file";
import { TypeSchemas } from "@/server/features/conversions/type-schemas";
import { convertUlog } from "@/server/features/conversions/ulog";
import { KnownDefinitions } from "@/server/features/message-definitions/known-definitions";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { writeDb3 } from "@/server/testing/db3";
import { double, float, uint16, uint64, UlogBuilder } from "@/server/testing/ulog";

/** A file of another format than the engine reads, perhaps with some bytes changed. */
export interface ConvertibleCase {
  name: string;
  format: "db3" | "ulog";
  bytes: Uint8Array;
}

const start = 1_760_000_000_000_000_000n;

function db3(seed: number): Buffer {
  const float64 = (value: number): Buffer => {
    const data = Buffer.alloc(12);
    data.writeUInt8(1, 1);
    data.writeDoubleLE(value, 4);
    return data;
  };
  const count = 20 + (seed % 7) * 30;
  return writeDb3({
    topics: [
      { name: "/level", type: "std_msgs/msg/Float64" },
      { name: "/unknown", type: "made_msgs/msg/Unknown" },
    ],
    messages: Array.from({ length: count }, (_, n) => ({
      topic: n % 9 === 8 ? 2 : 1,
      time: start + BigInt(n) * 10_000_000n,
      data: float64(Math.sin(n / 5)),
    })),
    ...(seed % 2 === 0 && { definitions: { "made_msgs/msg/Unknown": "float64 value" } }),
  });
}

function ulog(seed: number): Buffer {
  const boot = 5_000_000n;
  const builder = new UlogBuilder(boot)
    .format("position:uint64_t timestamp;double lat;float[3] speed;uint16_t state;")
    .format("battery:uint64_t timestamp;float voltage;uint8_t[4] _padding0;")
    .entry("I", "char[5] sys_name", "robot")
    .entry("P", "float GAIN", float(0.5))
    .subscribe(0, "position")
    .subscribe(1, "battery")
    .subscribe(2, "battery", 1);
  for (let n = 0; n < 20 + (seed % 5) * 40; n++) {
    const at = uint64(boot + BigInt(n) * 10_000n);
    builder.data(0, at, double(n / 3), float(n), float(-n), float(0), uint16(n % 4));
    if (n % 4 === 0) builder.data(1 + (n % 8) / 4, at, float(16 - n / 50), Buffer.alloc(4));
    if (n % 17 === 16) builder.add("L", 0x34, uint64(boot + BigInt(n) * 10_000n), "low battery");
    if (n % 23 === 22) builder.add("O", uint16(12));
  }
  return builder.build();
}

/** The file of a seed: one in ten as it was written, the others with some bytes changed. */
export function makeConvertible(seed: number): ConvertibleCase {
  const format = seed % 2 === 0 ? "db3" : "ulog";
  const written = format === "db3" ? db3(seed >> 1) : ulog(seed >> 1);
  const isWhole = seed % 20 < 2;
  const bytes = isWhole ? written : mutateFiles([written], seed)[0]!;
  return { name: `${format}, seed ${seed}${isWhole ? "" : ", mutated"}`, format, bytes };
}

/** The MCAP file that a file is rewritten into, in `folder` meanwhile; or why it is refused. */
export async function convertCase({ format, bytes }: ConvertibleCase, folder: string): Promise<Uint8Array | string> {
  const [source, target] = [path.join(folder, `source.${format}`), path.join(folder, "converted.mcap")];
  writeFileSync(source, bytes);
  const options = { fileBytes: bytes.length, isDue: () => false, pause: () => Promise.resolve() };
  const mcap = await McapFile.create(target);
  try {
    const { zstd } = await recordingCodecs();
    if (format === "db3")
      await convertDb3(source, mcap, { ...options, schemas: new TypeSchemas(new KnownDefinitions([])), zstd });
    else await convertUlog(source, mcap, { ...options, startedAt: null, createdAt: Date.UTC(2026, 4, 1) });
    await mcap.finish();
    return new Uint8Array(readFileSync(target));
  } catch (error) {
    if (error instanceof NotConvertible || error instanceof RecordingError) return error.message;
    throw error;
  } finally {
    await mcap.close();
    for (const file of [source, target]) rmSync(file, { force: true });
  }
}
