import { parseIDL } from "@foxglove/omgidl-parser";
import { MessageReader as OmgReader } from "@foxglove/omgidl-serialization";
import { parseRos2idl } from "@foxglove/ros2idl-parser";
import { parse } from "@foxglove/rosmsg";
import { MessageReader as Ros1Reader } from "@foxglove/rosmsg-serialization";
import { MessageReader as CdrReader } from "@foxglove/rosmsg2-serialization";
import { decode as decodeMsgpack } from "@msgpack/msgpack";
import { decode as decodeCbor } from "cborg";
import protobuf from "protobufjs";
import "protobufjs/ext/descriptor.js";
import { processColumns } from "@/engine/columns/pass";
import { memorySource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import type { SeriesFigures } from "@/engine/signals/number-series";
import type { SignalType } from "@/engine/signals/signal-types";
import { columnName } from "@/engine/signals/signals-writer";
import { SignalsInMemory } from "@/engine/testing/describe-signals";
import type { RecordingCase } from "@/engine/testing/recording-cases";
import type { TestChannel, TestMessage } from "@/engine/testing/write-mcap";

/**
 * The values of recordings as libraries of other projects decode them, compared with what Muster writes: both of its own
 * ways of reading could agree on a wrong one.
 */
type Decode = (data: Uint8Array) => unknown;

/** A topic with more slots may have reached the limit of 500; a time takes two. */
const fullTopic = 450;
/** The days around the start of generated recordings; messages beyond them are outliers, which are left out. */
const outlierNs = 30n * 86_400_000_000_000n;

function createDecode({ messageEncoding, schemaEncoding, schema = "", schemaName = "" }: TestChannel): Decode {
  const text = Buffer.from(schema).toString();
  const dataView = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (messageEncoding === "json") return decodeJson;
  if (messageEncoding === "cbor") return decodeCbor;
  if (messageEncoding === "msgpack") return decodeMsgpack;
  if (messageEncoding === "protobuf") {
    const type = protobuf.Root.fromDescriptor(Buffer.from(schema), { keepCase: true }).lookupType(schemaName);
    return (data) => type.toObject(type.decode(data), { longs: String, defaults: true });
  }
  if (messageEncoding === "ros1") {
    const reader = new Ros1Reader(parse(text));
    return (data) => reader.readMessage(data);
  }
  if (schemaEncoding === "omgidl") {
    const reader = new OmgReader(schemaName, parseIDL(text));
    return (data) => reader.readMessage(dataView(data));
  }
  const reader = new CdrReader(schemaEncoding === "ros2idl" ? parseRos2idl(text) : parse(text, { ros2: true }));
  return (data) => reader.readMessage(dataView(data));
}

/** JSON with the three numbers that Python writes and JSON does not have. */
function decodeJson(data: Uint8Array): unknown {
  const text = Buffer.from(data).toString();
  const quoted = text.replace(/:(NaN|-?Infinity)/g, ':"number $1"');
  return JSON.parse(quoted, (_, value: unknown) =>
    typeof value === "string" && value.startsWith("number ") ? Number(value.slice(7)) : value,
  );
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The names and positions in a path such as `pose.x`, `list[3].y` or `["left wheel"].turns`. */
function parsePath(path: string): string[] {
  const parts = path.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g);
  return [...parts].map(([, index, text, name]) => index ?? name ?? String(JSON.parse(text ?? '""')));
}

/** What lies under a path of a decoded message; undefined where it has none. */
function getValue(message: unknown, path: readonly string[]): unknown {
  let value = message;
  for (const part of path) {
    if (!isObject(value) || !(part in value)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** Seconds and nanoseconds of what has the members of a stamp or a duration. */
const getParts = (value: unknown): [seconds: unknown, rest: unknown] =>
  isObject(value)
    ? [value["sec"] ?? value["seconds"], value["nsec"] ?? value["nanosec"] ?? value["nanos"]]
    : [undefined, undefined];

const isStamp = (value: unknown): boolean => getParts(value).every((part) => part !== undefined);

/** A stamp or a duration in nanoseconds; what else it is, as it is. */
function toNanoseconds(value: unknown): unknown {
  const [seconds, rest] = getParts(value);
  const isWhole = [seconds, rest].every((part) => /^-?\d+$/.test(String(part)));
  return isWhole ? BigInt(String(seconds)) * 1_000_000_000n + BigInt(String(rest)) : value;
}

/** What a column of a type holds for a value: a text that two equal ones share; null for none. */
function toCell(value: unknown, type: SignalType): string | null {
  if (type === "bool") return typeof value === "boolean" ? String(value) : null;
  if (type === "enum") return null; // compared by what stands for what
  if (/int/.test(type)) {
    const whole = toNanoseconds(value);
    if (typeof whole === "bigint") return String(whole);
    if (typeof whole === "string" && /^-?\d+$/.test(whole)) return whole; // 64 bits of protobufjs
    return typeof whole === "number" && Number.isInteger(whole) ? String(BigInt(whole)) : null;
  }
  const number = toNumber(value);
  if (number === null) return null;
  const stored = type === "float32" ? Math.fround(number) : number;
  return Object.is(stored, -0) ? "-0" : String(stored);
}

/** A message with what it says; undefined for one that was cut off while it was recorded. */
interface Decoded {
  time: bigint;
  value: unknown;
}

/** The messages of a topic as other libraries decode them, in the order of rows. */
function decodeTopic(channel: TestChannel, all: readonly TestMessage[], start: bigint): Decoded[] {
  const decode = createDecode(channel);
  const near = all.filter(({ topic, time }) => {
    const distance = time - start;
    return topic === channel.topic && distance < outlierNs && -distance < outlierNs;
  });
  // Bags have no numbers of messages.
  const getSequence = ({ sequence = 0 }: TestMessage) => (channel.messageEncoding === "ros1" ? 0 : sequence);
  const ordered = near.toSorted((a, b) => {
    if (a.time !== b.time) return a.time < b.time ? -1 : 1;
    return getSequence(a) - getSequence(b) || Buffer.compare(a.data, b.data);
  });
  return ordered.map(({ time, data }) => {
    try {
      return { time, value: decode(data) };
    } catch {
      return { time, value: undefined };
    }
  });
}

/**
 * The message of each row. Of those that were cut off, others may have refused more than Muster, which skips what it does
 * not read: they have a row or none. Null when rows and messages do not fit.
 */
function matchRows(times: readonly unknown[], messages: readonly Decoded[]): Decoded[] | null {
  const byTime = new Map<unknown, Decoded[]>();
  for (const message of messages) byTime.set(message.time, [...(byTime.get(message.time) ?? []), message]);
  const rows = new Map<unknown, number>();
  for (const time of times) rows.set(time, (rows.get(time) ?? 0) + 1);
  const matched: Decoded[] = [];
  for (const [time, group] of byTime) {
    const count = rows.get(time) ?? 0;
    const whole = group.filter(({ value }) => value !== undefined);
    if (count < whole.length || count > group.length) return null;
    if (count === whole.length) matched.push(...whole);
    else matched.push(...group.slice(0, count).map(() => ({ time: group[0]!.time, value: undefined })));
  }
  return matched.length === times.length ? matched : null;
}

/** Where values differ, one line each, and how many were compared. */
export interface ValueComparison {
  differences: string[];
  rows: number;
  values: number;
}

/** Reads a recording as Muster does and compares all signals and figures of series with what other libraries decode. */
export async function compareValues(
  { files, channels, messages }: RecordingCase,
  codecs: Codecs,
  start: bigint,
): Promise<ValueComparison> {
  const signals = new SignalsInMemory();
  const sources = files.map(memorySource);
  const pass = await processColumns(sources, [], { codecs, signals: () => signals.begin() });
  const written = await signals.read(pass.signals ?? []);
  const result: ValueComparison = { differences: [], rows: 0, values: 0 };
  const figures = new Map([...pass.series.finish()].map((one) => [`${one.topic} ${one.field} ${one.kind}`, one]));
  for (const channel of channels) {
    const file = written.get(channel.topic);
    if (!file) continue; // nothing in it is a signal, or nothing can be decoded
    const decoded = decodeTopic(channel, messages, start);
    const differ = (what: string) => result.differences.push(`${channel.topic} ${what}`);
    const times = file.rows.map((row) => row["log_time"]);
    const matched = matchRows(times, decoded);
    if (matched === null || times.some((time, row) => time !== matched[row]?.time)) {
      differ(`has ${times.length} rows, and ${decoded.length} messages were sent`);
      continue;
    }
    result.rows += times.length;
    const { fields } = pass.topics.getReading(channel.topic);
    const isFull = fields.length + fields.filter(({ kind }) => kind === "time").length > fullTopic;
    const scalars = isFull ? [] : listScalars(matched.find(({ value }) => value !== undefined)?.value);
    for (const path of scalars.filter((each) => !isOfStamp(each, matched))) {
      if (!file.fields.some((field) => field.path === path)) differ(`has no column ${path}`);
    }
    for (const { path, type } of file.fields) {
      const at = parsePath(path);
      const isKnown = (_: unknown, row: number) => matched[row]?.value !== undefined;
      const values = matched.filter(isKnown).map(({ value }) => getValue(value, at));
      const column = file.rows.filter(isKnown).map((row) => row[columnName(path)]);
      result.values += values.length;
      const found = type === "enum" ? compareNames(values, column) : compareCells(values, column, type);
      if (found !== null) differ(`${path} (${type}): ${found}`);
      const series = figures.get(`${channel.topic} ${path} number`);
      const isWhole = values.length === times.length;
      const wrong = series && isWhole && type !== "enum" ? compareFigures(values, series) : null;
      if (wrong !== null) differ(`series ${path}: ${wrong}`);
    }
  }
  return result;
}

/** Whether a path is a part of what other messages have a stamp at, of which the column is. */
function isOfStamp(path: string, messages: readonly Decoded[]): boolean {
  const above = parsePath(path).slice(0, -1);
  return above.length > 0 && messages.some(({ value }) => isStamp(getValue(value, above)));
}

/** The paths of all numbers and booleans of a message outside of lists, which have columns. */
function listScalars(message: unknown, before = ""): string[] {
  if (!isObject(message)) return [];
  return Object.entries(message).flatMap(([name, value]) => {
    const plain = /^\w+$/.test(name);
    const path = plain ? (before === "" ? name : `${before}.${name}`) : `${before}[${JSON.stringify(name)}]`;
    if (["number", "bigint", "boolean"].includes(typeof value)) return [path];
    return Array.isArray(value) || ArrayBuffer.isView(value) || typeof toNanoseconds(value) === "bigint"
      ? []
      : listScalars(value, path);
  });
}

function compareCells(values: readonly unknown[], column: readonly unknown[], type: SignalType): string | null {
  // A column of stamps holds no other whole numbers.
  const isOfStamps = type === "int64" && values.some(isStamp);
  for (const [row, value] of values.entries()) {
    const sent = isOfStamps && !isObject(value) ? null : value;
    const [expected, found] = [toCell(sent, type), column[row] === null ? null : toCell(column[row], type)];
    if (expected !== found) return `row ${row} is ${found}, and ${expected} was sent`;
  }
  return null;
}

/** A column of enums names each number; equal names stand for equal numbers. */
function compareNames(values: readonly unknown[], column: readonly unknown[]): string | null {
  const names = new Map<string, unknown>();
  const numbers = new Map<unknown, string>();
  for (const [row, value] of values.entries()) {
    const [sent, name] = [String(value), column[row]];
    if (names.has(sent) && names.get(sent) !== name) return `row ${row} names ${sent} as ${String(name)}`;
    if (numbers.has(name) && numbers.get(name) !== sent) return `row ${row} names ${sent} as another number`;
    names.set(sent, name);
    numbers.set(name, sent);
  }
  return null;
}

function compareFigures(values: readonly unknown[], { count, min, max, last }: SeriesFigures): string | null {
  const numbers = values.flatMap((value) => {
    const number = toNumber(value);
    return number !== null && Number.isFinite(number) ? [number] : [];
  });
  const isEmpty = numbers.length === 0;
  const expected = {
    count: numbers.length,
    min: isEmpty ? null : Math.min(...numbers),
    max: isEmpty ? null : Math.max(...numbers),
    last: numbers.at(-1) ?? null,
  };
  const found = { count, min, max, last };
  return JSON.stringify(found) === JSON.stringify(expected)
    ? null
    : `is ${JSON.stringify(found)}, and ${JSON.stringify(expected)} were sent`;
}

/** A number, also in a text, as JSON may have it; null for others. */
function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : null;
}
