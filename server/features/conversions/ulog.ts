import { latin1Text, utf8Bytes, utf8Text } from "@/engine/bytes";
import type { Conversion, ConversionOptions, ConversionSink } from "@/engine/formats/conversion";
import { quoted, RecordingError } from "@/engine/formats/recording-error";
import { UlogFile, type UlogMessage } from "@/server/features/conversions/ulog-file";
import { readEntry, toCdr, UlogFormats, type UlogLayout } from "@/server/features/conversions/ulog-format";

/** Channels of an MCAP file have 16-bit numbers. */
const maxChannels = 60_000;
const maxEntries = 20_000;
const maxEntryLength = 65_536;
/** The topics whose `time_utc_usec` says when a log was recorded. */
const clockTopics: ReadonlySet<string> = new Set(["vehicle_gps_position", "sensor_gps"]);
/** Microseconds since 1970 of 2001: a receiver without a fix counts from elsewhere. */
const plausibleUtc = 1_000_000_000_000_000n;

/** rcl_interfaces/msg/Log, which ROS 2 publishes on /rosout. */
const logDefinition = `builtin_interfaces/Time stamp
uint8 level
string name
string msg
string file
string function
uint32 line
${"=".repeat(80)}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
`;
/** The levels of rcl_interfaces by those of the kernel, from emergency to debug. */
const logLevels = [50, 50, 50, 40, 30, 20, 20, 10];

export interface UlogOptions extends ConversionOptions {
  /** When the log began, milliseconds since 1970, as the uploader said; null when they did not. */
  startedAt: number | null;
  /** When the recording was created, milliseconds since 1970. */
  createdAt: number;
  /** Bytes of the file. */
  fileBytes: number;
}

interface Subscription {
  channelId: number;
  layout: UlogLayout;
  timestamp: number;
}

/**
 * Writes the messages of a PX4 log to a sink: a channel for each topic and instance, its log messages as `log`, its
 * parameters and what it says of the vehicle as metadata. Throws a NotConvertible for another file.
 */
export async function convertUlog(path: string, sink: ConversionSink, options: UlogOptions): Promise<Conversion> {
  const file = await UlogFile.open(path);
  try {
    return await new UlogConversion(file, sink, options).run();
  } finally {
    await file.close();
  }
}

class UlogConversion {
  private readonly formats = new UlogFormats();
  /** Null for topics that cannot be read. */
  private readonly subscriptions = new Map<number, Subscription | null>();
  private readonly warnings = new Set<string>();
  private readonly information = new Map<string, string>();
  private readonly parameters = new Map<string, string>();
  private readonly dropouts = { count: 0, milliseconds: 0 };
  private channels = 0;
  private logChannel: number | null = null;
  private messages = 0;
  /** What is added to microseconds since the vehicle was started. */
  private epoch = 0n;

  constructor(
    private readonly file: UlogFile,
    private readonly sink: ConversionSink,
    private readonly options: UlogOptions,
  ) {}

  async run(): Promise<Conversion> {
    const { file, sink, options, warnings } = this;
    this.epoch = await this.findEpoch();
    for await (const message of file.messages()) {
      await this.take(message);
      if (options.isDue()) {
        options.onProgress?.(Math.min(1, message.position / options.fileBytes));
        await options.pause();
      }
    }
    if (this.information.size > 0) await sink.addMetadata("information", this.information);
    if (this.parameters.size > 0) await sink.addMetadata("parameters", this.parameters);
    const { count, milliseconds } = this.dropouts;
    if (count > 0) warnings.add(`The logger lost data ${count} times, for ${milliseconds / 1_000} s together.`);
    return { format: "ulog", messageCount: this.messages, truncated: file.truncated, warnings: [...warnings] };
  }

  /** Where time begins: what the uploader said, else the time of a receiver of satellites. */
  private async findEpoch(): Promise<bigint> {
    const { startedAt, createdAt } = this.options;
    if (startedAt !== null) return BigInt(startedAt) * 1_000n - this.file.startedAt;
    const utc = await this.findUtc();
    if (utc !== null) return utc;
    this.warnings.add("The log has no time of day: it was placed where its recording was created.");
    return BigInt(createdAt) * 1_000n - this.file.startedAt;
  }

  private async findUtc(): Promise<bigint | null> {
    const formats = new UlogFormats();
    const clocks = new Map<number, { timestamp: number; utc: number }>();
    for await (const { type, body, view } of this.file.messages()) {
      if (type === "F") formats.add(body);
      else if (type === "A" && body.length > 3) {
        const name = latin1Text(body.subarray(3));
        const layout = clockTopics.has(name) ? formats.layout(name) : null;
        const [timestamp, utc] = [layout?.find("timestamp") ?? null, layout?.find("time_utc_usec") ?? null];
        if (timestamp !== null && utc !== null) clocks.set(view.getUint16(1, true), { timestamp, utc });
      } else if (type === "D" && body.length > 2) {
        const clock = clocks.get(view.getUint16(0, true));
        if (clock && body.length >= 10 + Math.max(clock.utc, clock.timestamp)) {
          const utc = view.getBigUint64(2 + clock.utc, true);
          if (utc > plausibleUtc && utc < 8n * plausibleUtc) return utc - view.getBigUint64(2 + clock.timestamp, true);
        }
      }
      if (this.options.isDue()) await this.options.pause();
    }
    return null;
  }

  private async take({ type, body, view }: UlogMessage): Promise<void> {
    switch (type) {
      case "F":
        if (!this.formats.add(body)) this.warnings.add("The log declares formats that cannot be read.");
        return;
      case "I":
        return this.note(this.information, body, false);
      case "M":
        return this.note(this.information, body.subarray(1), body[0] === 1);
      case "P":
        return this.note(this.parameters, body, false);
      case "A":
        return body.length > 3
          ? this.subscribe(view.getUint16(1, true), body[0]!, latin1Text(body.subarray(3)))
          : undefined;
      case "D":
        return body.length > 2 ? this.addData(view.getUint16(0, true), body.subarray(2)) : undefined;
      case "L":
        return body.length >= 9 ? this.addLog(body[0]!, "", view.getBigUint64(1, true), body.subarray(9)) : undefined;
      case "C": {
        if (body.length < 11) return;
        const tag = `tag ${view.getUint16(1, true)}`;
        return this.addLog(body[0]!, tag, view.getBigUint64(3, true), body.subarray(11));
      }
      case "O":
        this.dropouts.count += 1;
        this.dropouts.milliseconds += body.length >= 2 ? view.getUint16(0, true) : 0;
    }
  }

  /** Keeps a key with its value; one that continues is appended. */
  private note(entries: Map<string, string>, body: Uint8Array, continues: boolean): void {
    const entry = readEntry(body);
    if (!entry || (entries.size >= maxEntries && !entries.has(entry.name))) return;
    const before = continues ? (entries.get(entry.name) ?? "") : "";
    entries.set(entry.name, (before + entry.value).slice(0, maxEntryLength));
  }

  private async addChannel(topic: string, schemaName: string, definition: string): Promise<number> {
    if (++this.channels > maxChannels) throw new RecordingError("The recording declares more topics than can be read.");
    return this.sink.addChannel({
      topic,
      messageEncoding: "cdr",
      schemaName,
      schemaEncoding: "ros2msg",
      schemaData: utf8Bytes(definition),
    });
  }

  private async subscribe(id: number, instance: number, name: string): Promise<void> {
    const layout = this.formats.layout(name);
    const timestamp = layout?.find("timestamp") ?? null;
    if (layout === null || timestamp === null) {
      this.warnings.add(`The log does not declare how ${quoted(name)} is to be read.`);
      this.subscriptions.set(id, null);
      return;
    }
    const topic = instance === 0 ? name : `${name}/${instance}`;
    const channelId = await this.addChannel(topic, `px4/msg/${name}`, layout.definition);
    this.subscriptions.set(id, { channelId, layout, timestamp });
  }

  private async addData(id: number, data: Uint8Array): Promise<void> {
    const subscription = this.subscriptions.get(id);
    if (!subscription) {
      if (subscription === undefined)
        this.warnings.add("Messages of topics that the log does not declare were left out.");
      return;
    }
    const { channelId, layout, timestamp } = subscription;
    if (data.length < layout.minBytes) {
      this.warnings.add("Messages that are shorter than their format were left out.");
      return;
    }
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    await this.add(channelId, view.getBigUint64(timestamp, true), toCdr(layout, data));
  }

  private async addLog(level: number, name: string, timestamp: bigint, text: Uint8Array): Promise<void> {
    this.logChannel ??= await this.addChannel("log", "rcl_interfaces/msg/Log", logDefinition);
    const nanoseconds = (this.epoch + timestamp) * 1_000n;
    const known = logLevels[level - "0".charCodeAt(0)] ?? 20;
    await this.add(this.logChannel, timestamp, writeLog(nanoseconds, known, name, utf8Text(text)));
  }

  private async add(channelId: number, timestamp: bigint, data: Uint8Array): Promise<void> {
    const time = (this.epoch + timestamp) * 1_000n;
    if (time < 0n || time >= 2n ** 63n) {
      this.warnings.add("Messages with impossible times were left out.");
      return;
    }
    await this.sink.addMessage(channelId, time, data);
    this.messages += 1;
  }
}

/** A rcl_interfaces/msg/Log in CDR. */
function writeLog(nanoseconds: bigint, level: number, name: string, text: string): Uint8Array {
  const [nameBytes, textBytes] = [utf8Bytes(name), utf8Bytes(text)];
  const data = new Uint8Array(4 + 12 + 5 * 8 + nameBytes.length + textBytes.length + 4);
  const view = new DataView(data.buffer);
  data[1] = 1;
  view.setInt32(4, Number(BigInt.asIntN(32, nanoseconds / 1_000_000_000n)), true);
  view.setUint32(8, Number(((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n), true);
  data[12] = level;
  let at = 13;
  const align = (): void => void (at += (4 - (at % 4)) % 4);
  for (const bytes of [nameBytes, textBytes, new Uint8Array(0), new Uint8Array(0)]) {
    align();
    view.setUint32(at, bytes.length + 1, true);
    data.set(bytes, at + 4);
    at += 4 + bytes.length + 1;
  }
  align();
  view.setUint32(at, 0, true);
  return data.subarray(0, at + 4);
}
