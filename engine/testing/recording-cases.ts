import { parse } from "@foxglove/rosmsg";
import { MessageWriter as Ros1Writer } from "@foxglove/rosmsg-serialization";
import { MessageWriter as CdrWriter } from "@foxglove/rosmsg2-serialization";
import { mixedRecording } from "@/engine/testing/mixed-recording";
import { writeBag } from "@/engine/testing/write-bag";
import { writeMcap, type TestChannel, type TestMessage } from "@/engine/testing/write-mcap";

const STATE = `uint8 STATE_IDLE=0
uint8 STATE_RUN=1
uint8 STATE_FAULT=2
uint8 state
float64 level
float32 heat
int32 count
int64 ticks
bool on
string name
pkg/Part part
float64[3] fixed
uint8[] blob
=====
MSG: pkg/Part
uint8 x
float64 y
string z
`;
const JOINTS = `string[] name
float64[] position
float32[] effort
bool[] limits
`;
/** When generated recordings begin. */
export const caseStart = 1_760_000_000_000_000_000n;
const DAY = 86_400_000_000_000n;

/** Numbers that a seed determines. */
export class Random {
  constructor(private state: number) {}

  /** In [0, 1). */
  next(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 0x1_0000_0000;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

export interface RecordingCase {
  /** What is special about it. */
  name: string;
  /** The files of one recording. */
  files: Uint8Array[];
  /** What was written to them: all messages in the order of storage. */
  channels: TestChannel[];
  messages: TestMessage[];
}

/** Reverses the byte order of a CDR message of one 64-bit number. */
function bigEndian(value: number): Buffer {
  const payload = Buffer.alloc(12);
  payload.writeDoubleBE(value, 4);
  return payload;
}

function stateAt(i: number, random: Random, nan: boolean): Record<string, unknown> {
  const value = Math.sin(i / 9) * 10 + random.next();
  const level = nan && i % 40 > 30 ? random.pick([NaN, Infinity, -Infinity, value]) : value;
  return {
    state: Math.floor(i / 17) % 4,
    level,
    heat: Math.fround(20 + random.next()),
    count: random.chance(0.1) ? -i : Math.floor(i / 3),
    ticks: 9_007_199_254_740_993n + BigInt(i),
    on: i % 13 < 6,
    name: `name ${Math.floor(i / 5) % 3}`,
    part: { x: i % 256, y: nan && i % 7 === 0 ? NaN : -0, z: i % 50 === 0 ? "" : "Größe" },
    fixed: [i, -i, 0.5],
    blob: Uint8Array.from({ length: i % 5 }, (_, n) => n),
  };
}

function jointsAt(i: number, random: Random, ragged: boolean): Record<string, unknown> {
  const count = ragged ? random.below(6) + (i % 60 === 59 ? 20 : 0) : 4;
  const list = Array.from({ length: count }, (_, n) => Math.cos(i / 20 + n));
  return {
    name: list.map((_, n) => `joint_${n}`),
    position: list,
    effort: list.slice(0, 2),
    limits: list.map((v) => v > 0),
  };
}

/** A member of reports as Python writes it: NaN and infinities among its numbers, and left out at times. */
function rangeAt(i: number): string {
  if (i % 7 === 3) return '"range":NaN,';
  if (i % 11 === 5) return `"range":${i % 2 === 0 ? "-" : ""}Infinity,`;
  return i % 13 === 6 ? "" : `"range":${i / 3},`;
}

/** A report as a text of JSON: its fields come, go and change their kinds the more often, the more `wild` it is. */
function reportAt(i: number, random: Random, wild: number): Buffer {
  const odd = <T>(value: T): unknown =>
    random.chance(wild) ? random.pick([null, "12.5", "off", true, [1, 2], { sec: 1, nsec: 2 }, i]) : value;
  const long = random.chance(wild) ? "9007199254740993" : String(i * 1000);
  const report = {
    charge: odd(50 + 40 * Math.sin(i / 25)),
    "left wheel": { turns: odd(i / 7), "a.b": odd(Math.cos(i / 11)) },
    mode: odd(i % 30 < 10 ? "DRIVE" : "IDLE"),
    docked: odd(i % 20 < 4),
    list: odd([i % 9, Math.sin(i / 5), i % 2 === 0]),
  };
  const text = JSON.stringify(report).replace("{", `{"count":${long},${rangeAt(i)}`);
  return Buffer.from(random.chance(wild / 8) ? text.slice(0, 20) : text);
}

/** The messages with a report beside each state. */
function withReports(seed: number, messages: readonly TestMessage[]): TestMessage[] {
  const random = new Random(seed ^ 0x2545_f491);
  for (let i = 0; i < 8; i++) random.next();
  const wild = random.pick([0, 0.02, 0.3]);
  return messages.flatMap((message, i) =>
    message.topic === "/state"
      ? [message, { ...message, topic: "/report", data: reportAt(i, random, wild) }]
      : [message],
  );
}

/** A recording made of everything that the seed chooses: encodings, compression, times, gaps, order, files. */
export async function makeCase(seed: number, count = 240): Promise<RecordingCase> {
  const random = new Random(seed);
  for (let i = 0; i < 8; i++) random.next();
  const bag = random.chance(0.3);
  const nan = random.chance(0.4);
  const ragged = random.chance(0.5);
  const jitter = random.chance(0.6);
  const disorder = random.chance(0.35) ? random.pick([3, 40, 400]) : 0;
  const ties = random.chance(0.3);
  const damaged = random.chance(0.3);
  const split = random.pick([1, 1, 2, 3]);
  const outliers = random.chance(0.2);
  const [encoding, schemaEncoding] = bag ? ["ros1", "ros1msg"] : ["cdr", "ros2msg"];
  const channel = (topic: string, schema: string): TestChannel => {
    return { topic, messageEncoding: encoding!, schemaEncoding: schemaEncoding!, schema, schemaName: `pkg${topic}` };
  };
  const channels = [channel("/state", STATE), channel("/joints", JOINTS), channel("/level", "float64 level\n")];
  const writers = new Map(
    channels.map(({ topic, schema }) => {
      const types = parse(String(schema), { ros2: !bag });
      return [topic, bag ? new Ros1Writer(types) : new CdrWriter(types)] as const;
    }),
  );
  const write = (topic: string, message: unknown): Uint8Array => writers.get(topic)!.writeMessage(message);
  let messages: TestMessage[] = [];
  let time = caseStart;
  const add = (topic: string, i: number, data: Uint8Array): void => {
    const shift = disorder > 0 && random.chance(0.1) ? BigInt(random.below(disorder)) * 1_000_000n : 0n;
    const cut = damaged && random.chance(0.03) ? data.subarray(0, random.below(data.length + 1)) : data;
    const stray =
      outliers && random.chance(0.03) ? random.pick([-caseStart, -caseStart / 2n, 60n * DAY, -100n * DAY]) : 0n;
    messages.push({ topic, time: time - shift + stray, sequence: ties ? 0 : i, data: cut });
  };
  for (let i = 0; i < count; i++) {
    const step = random.chance(0.02) ? 400_000_000 : jitter ? 8_000_000 + random.below(4_000_000) : 10_000_000;
    time += ties && random.chance(0.2) ? 0n : BigInt(step);
    add("/state", i, write("/state", stateAt(i, random, nan)));
    if (i % 2 === 0) add("/joints", i, write("/joints", jointsAt(i, random, ragged)));
    const level = Math.sin(i / 30);
    if (i % 4 === 0) add("/level", i, !bag && i % 16 === 0 ? bigEndian(level) : write("/level", { level }));
  }
  if (!bag && seed % 4 > 0) {
    channels.push({ topic: "/report", messageEncoding: "json" });
    messages = withReports(seed, messages);
  }
  if (!bag && random.chance(0.5)) {
    const mixed = mixedRecording(60);
    channels.push(...mixed.channels);
    messages.push(...mixed.messages);
    messages.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  }
  const chunkBytes = random.pick(bag ? [500, 5000, 60_000] : [0, 500, 5000, 60_000]);
  const parts = Array.from({ length: split }, (_, n) =>
    messages.slice(Math.floor((n * messages.length) / split), Math.floor(((n + 1) * messages.length) / split)),
  );
  const files: Uint8Array[] = [];
  const compression = random.pick(["", "lz4", "zstd"] as const);
  const options = { noSummary: random.chance(0.15), noMessageIndex: random.chance(0.15), noCrc: random.chance(0.3) };
  for (const part of parts) {
    if (bag) files.push(writeBag(channels, part, { compression: compression === "lz4" ? "lz4" : "none", chunkBytes }));
    else files.push(await writeMcap(channels, part, { compression, chunkBytes, ...options }));
  }
  if (random.chance(0.5)) files.reverse();
  const flags = Object.entries({ nan, ragged, jitter, ties, damaged, outliers, ...options }).flatMap(([flag, on]) =>
    on ? [flag] : [],
  );
  const what = [bag ? "bag" : "mcap", compression, `${chunkBytes} B chunks`, `${split} files`, ...flags];
  return {
    name: `seed ${seed}: ${what.join(", ")}${disorder > 0 ? `, disorder ${disorder} ms` : ""}`,
    files,
    channels,
    messages,
  };
}

/** The files with a few of their bytes changed, removed or repeated. */
export function mutateFiles(files: readonly Uint8Array[], seed: number): Uint8Array[] {
  const random = new Random(seed ^ 0x5bd1e995);
  for (let i = 0; i < 8; i++) random.next();
  return files.map((file, n) => {
    if (n > 0 && random.chance(0.5)) return file;
    let bytes = Buffer.from(file);
    for (let left = 1 + random.below(4); left > 0; left--) {
      const at = random.below(bytes.length);
      const what = random.below(10);
      if (what < 5) bytes[at] = random.below(256);
      else if (what === 5) bytes[at] = bytes[at]! ^ (1 << random.below(8));
      else if (what === 6 && at + 8 < bytes.length)
        bytes.writeUInt32LE(random.pick([0, 1, 0xffff_ffff, 0x7fff_ffff]), at);
      else if (what === 7) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.below(40))]);
      else if (what === 8) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 30))]);
      else if (random.chance(0.2)) bytes = bytes.subarray(0, at + 1);
    }
    return bytes;
  });
}
