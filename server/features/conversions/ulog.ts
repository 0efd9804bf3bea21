import { latin1Text, utf8Bytes, utf8Text } from "@/engine/bytes";
import {
  parametersSchema,
  type Conversion,
  type ConversionOptions,
  type ConversionSink,
} from "@/engine/formats/conversion";
import { quoted, RecordingError } from "@/engine/formats/recording-error";
import { UlogFile, type UlogMessage } from "@/server/features/conversions/ulog-file";
import { readEntry, toCdr } from "@/server/features/conversions/ulog-format";
import { ChangingParameters } from "@/server/features/conversions/ulog-parameters";
import { isTimeOfDay, maxEntries, surveyUlog, type UlogSurvey } from "@/server/features/conversions/ulog-survey";

/** Channels of an MCAP file have 16-bit numbers. */
const maxChannels = 60_000;
const maxEntryLength = 65_536;
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

/**
 * Writes the messages of a PX4 log to a sink: a channel for each topic and instance, its log messages as `log`, the
 * parameters that change as `parameters`, and all of them as at the start, with what it says of the vehicle, as metadata. Throws a NotConvertible for another file.
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
  /** By id of a topic; without those that cannot be read. */
  private readonly channelIds = new Map<number, number>();
  private readonly warnings = new Set<string>();
  private readonly information = new Map<string, string>();
  private readonly parameters = new Map<string, string>();
  private readonly dropouts = { count: 0, milliseconds: 0 };
  private channels = 0;
  private logChannel: number | null = null;
  private messages = 0;
  /** What comes after the definitions was reached. */
  private hasData = false;
  /** What is added to the times of the log to have microseconds since 1970. */
  private epoch = 0n;
  /** In the time of the log: where it begins and ends, and the last stamp within it before what is read. */
  private start = 0n;
  private end = 0n;
  private now = 0n;
  private changing = new ChangingParameters(new Map());
  private changingChannel: number | null = null;

  constructor(
    private readonly file: UlogFile,
    private readonly sink: ConversionSink,
    private readonly options: UlogOptions,
  ) {}

  async run(): Promise<Conversion> {
    const { file, sink, options, warnings } = this;
    await this.begin(await surveyUlog(file, options));
    for await (const batch of file.batches()) {
      for (const message of batch) {
        await this.take(message);
        if (options.isDue()) {
          options.onProgress?.(Math.min(1, message.position / options.fileBytes));
          await options.pause();
        }
      }
    }
    if (this.information.size > 0) await sink.addMetadata("information", this.information);
    if (this.parameters.size > 0) await sink.addMetadata("parameters", this.parameters);
    this.warnOfLosses();
    return { format: "ulog", messageCount: this.messages, truncated: file.truncated, warnings: [...warnings] };
  }

  private warnOfLosses(): void {
    const { count, milliseconds } = this.dropouts;
    if (count > 0) this.warnings.add(`The logger lost data ${count} times, for ${milliseconds / 1_000} s together.`);
    const { places, bytes } = this.file.skipped;
    if (places === 0) return;
    const where = places === 1 ? "one place" : `${places.toLocaleString("en")} places`;
    this.warnings.add(`The log is damaged in ${where}: ${bytes.toLocaleString("en")} bytes were skipped.`);
  }

  private async begin(survey: UlogSurvey): Promise<void> {
    this.start = this.now = survey.start;
    this.end = survey.end;
    this.epoch = this.findEpoch(survey);
    this.changing = new ChangingParameters(survey.changing);
    if (this.changing.leftOut > 0)
      this.warnings.add(`More parameters change than can be followed; ${this.changing.leftOut} were left out.`);
    if (survey.changing.size === 0) return;
    this.changingChannel = await this.addChannel("parameters", parametersSchema, this.changing.definition);
    await this.add(this.changingChannel, this.start, this.changing.data);
  }

  /** Where time begins: 1970, if the log counts from there, what the uploader said, or the time of a receiver of satellites. */
  private findEpoch({ start, epoch }: UlogSurvey): bigint {
    if (isTimeOfDay(start)) return 0n;
    const { startedAt, createdAt } = this.options;
    if (startedAt !== null) return BigInt(startedAt) * 1_000n - start;
    if (epoch !== null) return epoch;
    this.warnings.add("The log has no time of day: it was placed where its recording was created.");
    return BigInt(createdAt) * 1_000n - start;
  }

  private async take({ type, body, view }: UlogMessage): Promise<void> {
    switch (type) {
      case "F":
        if (this.file.formats.hasUnread) this.warnings.add("The log declares formats that cannot be read.");
        return;
      case "I":
        return this.note(this.information, body, false);
      case "M":
        return this.note(this.information, body.subarray(1), body[0] === 1);
      case "P":
        return this.setParameter(body);
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

  /** A parameter has no time: it changed after the data before it. */
  private async setParameter(body: Uint8Array): Promise<void> {
    const entry = readEntry(body);
    if (!entry) return;
    const { name, number } = entry;
    if (!this.hasData || !this.parameters.has(name)) this.note(this.parameters, body, false);
    if (!this.hasData || number === null || !this.changing.set(name, number.value)) return;
    if (this.changingChannel !== null) await this.add(this.changingChannel, this.now, this.changing.data);
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
    const topic = this.file.topics.get(id);
    if (!topic) {
      this.warnings.add(`The log does not declare how ${quoted(name)} is to be read.`);
      return;
    }
    const channel = instance === 0 ? name : `${name}/${instance}`;
    this.channelIds.set(id, await this.addChannel(channel, `px4/msg/${name}`, topic.layout.definition));
  }

  private async addData(id: number, data: Uint8Array): Promise<void> {
    const topic = this.file.topics.get(id);
    const channelId = this.channelIds.get(id);
    if (!topic || channelId === undefined) {
      if (topic === undefined) this.warnings.add("Messages of topics that the log does not declare were left out.");
      return;
    }
    if (data.length < topic.layout.minBytes) {
      this.warnings.add("Messages that are shorter than their format were left out.");
      return;
    }
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    await this.addAt(channelId, view.getBigUint64(topic.timestamp, true), toCdr(topic.layout, data));
  }

  private async addLog(level: number, name: string, stamp: bigint, text: Uint8Array): Promise<void> {
    this.logChannel ??= await this.addChannel("log", "rcl_interfaces/msg/Log", logDefinition);
    const nanoseconds = (this.epoch + stamp) * 1_000n;
    const known = logLevels[level - "0".charCodeAt(0)] ?? 20;
    await this.addAt(this.logChannel, stamp, writeLog(nanoseconds, known, name, utf8Text(text)));
  }

  /**
   * Adds a message with its own stamp. What was published before the log began is what held then; a stamp after its end
   * is of an earlier start of the vehicle, and the message is of when it was written.
   */
  private async addAt(channelId: number, stamp: bigint, data: Uint8Array): Promise<void> {
    this.hasData = true;
    if (stamp >= this.start && stamp <= this.end) this.now = stamp;
    await this.add(channelId, stamp < this.start ? this.start : this.now, data);
  }

  private async add(channelId: number, at: bigint, data: Uint8Array): Promise<void> {
    const time = (this.epoch + at) * 1_000n;
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
