import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { LocalFile } from "@/cli/client/put-file";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

/** A recording with known contents and known results of its rules. */
export interface MadeRecording {
  file: LocalFile;
  sha256: string;
  /** Messages by topic. */
  topics: Record<string, number>;
  /** How often the motor gets hot (above 80), and how many of these times very hot (above 90). */
  hot: number;
  veryHot: number;
}

const channels: TestChannel[] = [
  {
    topic: "/motor/temp",
    messageEncoding: "json",
    schemaName: "json/motor/temp",
    schemaEncoding: "jsonschema",
    schema: JSON.stringify({ type: "object", properties: { value: { type: "number" } } }),
  },
  { topic: "/camera/raw", messageEncoding: "opaque" },
];
const start = 1_760_000_000_000_000_000n;
const samples = 400;
const frames = 24;
const frameBytes = 48 * 1024;

/**
 * The motor's temperature at sample `at`: warm, and hot for ten samples in forty as often as the recording requires.
 */
function temperature(at: number, hot: number, veryHot: number): number {
  const episode = Math.floor(at / 40);
  if (episode >= hot || at % 40 < 30) return 60 + (at % 7);
  return episode < veryHot ? 95 : 85;
}

/** Writes `count` different recordings of about 1 MB into a folder. */
export async function makeRecordings(folder: string, count: number): Promise<MadeRecording[]> {
  const made: MadeRecording[] = [];
  for (let n = 0; n < count; n++) {
    const hot = n % 4;
    const veryHot = hot > 1 ? n % 3 : 0;
    const messages: TestMessage[] = [];
    for (let at = 0; at < samples; at++) {
      const time = start + BigInt(at) * 50_000_000n;
      const data = Buffer.from(JSON.stringify({ value: temperature(at, hot, veryHot) }));
      messages.push({ topic: "/motor/temp", time, data, sequence: at });
      if (at % 16 === 0 && at / 16 < frames)
        messages.push({ topic: "/camera/raw", time, data: Buffer.alloc(frameBytes, n + at), sequence: at });
    }
    const bytes = await writeMcap(channels, messages);
    const location = path.join(folder, `made-${n}.mcap`);
    fs.writeFileSync(location, bytes);
    made.push({
      file: { location, path: path.basename(location), size: bytes.length },
      sha256: createHash("sha256").update(bytes).digest("hex"),
      topics: { "/motor/temp": samples, "/camera/raw": frames },
      hot,
      veryHot,
    });
  }
  return made;
}
