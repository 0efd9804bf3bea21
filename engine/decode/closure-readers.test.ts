import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { compileDecoder, compileReader } from "@/engine/decode/compile";
import { structFields } from "@/engine/decode/fields";
import { KeptLists } from "@/engine/decode/kept-lists";
import { CdrCursor, Ros1Cursor } from "@/engine/decode/payload-cursor";
import { getPayloadType } from "@/engine/decode/payload-type";
import type { StructType } from "@/engine/decode/schemas/message-type";
import { memorySource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { makeCase } from "@/engine/testing/recording-cases";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

type Encoding = "ros1" | "cdr";

/** What a function returns, or why it refuses. */
function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof RecordingError || error instanceof RangeError) return `refused: ${error.message}`;
    throw error;
  }
}

/** All that can be read of a message: the whole, some fields, and the picked scalars of columns. */
function createReading(type: StructType, encoding: Encoding, generate: boolean): (data: Uint8Array) => unknown[] {
  const cursor = encoding === "ros1" ? new Ros1Cursor() : new CdrCursor();
  const some = new Set(type.fields.filter((_, at) => at % 2 === 1).map(({ name }) => name));
  const picks = structFields(type).map(({ steps, list }, slot) => ({ steps, slot, list }));
  const kept = new KeptLists(picks.length);
  const whole = compileDecoder(type, encoding, undefined, generate);
  const part = compileDecoder(type, encoding, some, generate);
  const pick = compileReader(type, encoding, picks, picks.length, kept, generate);
  const check = compileReader(type, encoding, [], 0, kept, generate);
  const readPicks = () => {
    const values = new Float64Array(picks.length).fill(-1);
    const states = new Array<boolean | string | number | undefined>(picks.length).fill(undefined);
    return [attempt(() => pick(cursor, values, states)), [...values], states];
  };
  return (data) =>
    [() => whole(cursor), () => part(cursor), readPicks, () => check(cursor, new Float64Array(0), [])].map((read) =>
      attempt(() => {
        cursor.reset(data);
        return read();
      }),
    );
}

/** The payload, cut and with bytes changed. */
function* damage(data: Uint8Array, seed: number): Generator<Uint8Array> {
  yield data;
  for (let n = 1; n <= 4; n++) {
    const at = (seed * 7_919 + n * 104_729) % Math.max(1, data.length);
    yield data.subarray(0, at);
    const changed = new Uint8Array(data);
    changed[at] = (changed[at]! + n * 61) & 255;
    yield changed;
  }
}

/** The structs among the channels of some generated recordings, with payloads. */
async function listPayloads(seeds: readonly number[]): Promise<{ channel: Channel; data: Uint8Array }[]> {
  const found: { channel: Channel; data: Uint8Array }[] = [];
  for (const seed of seeds) {
    const { files } = await makeCase(seed, 40);
    const reader = await openRecording(files.map(memorySource), await recordingCodecs());
    for await (const batch of reader.messages({}))
      for (const { channel, data } of batch) found.push({ channel, data: new Uint8Array(data) });
  }
  return found;
}

/** It takes two seconds of a free core, of which complete runs leave a small part. */
const timeout = 60_000;

describe("readers of closures", { timeout }, () => {
  it("read what generated ones read, and refuse with the same words", async () => {
    const payloads = await listPayloads([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const readings = new Map<string, [(data: Uint8Array) => unknown[], (data: Uint8Array) => unknown[]]>();
    let [compared, refused] = [0, 0];
    for (const [seed, { channel, data }] of payloads.entries()) {
      const payload = attempt(() => getPayloadType(channel)) as ReturnType<typeof getPayloadType> | string;
      if (typeof payload === "string" || payload.kind !== "struct") continue;
      const key = `${payload.encoding} ${channel.schemaName} ${new TextDecoder().decode(channel.schemaData)}`;
      const pair = readings.get(key) ?? [
        createReading(payload.type, payload.encoding, true),
        createReading(payload.type, payload.encoding, false),
      ];
      readings.set(key, pair);
      for (const bytes of damage(data, seed)) {
        const [generated, closures] = [pair[0](bytes), pair[1](bytes)];
        if (!isDeepStrictEqual(closures, generated)) expect(closures).toEqual(generated); // says how, and is slower
        compared += 1;
        if (generated.some((value) => typeof value === "string" && value.startsWith("refused"))) refused += 1;
      }
    }
    expect(readings.size).toBeGreaterThan(4);
    expect(compared).toBeGreaterThan(5_000);
    expect(refused).toBeGreaterThan(500);
  });
});
