import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isCameraSchema, isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { isFixSchema, readFix } from "@/engine/messages/positions/fix";
import { rankPositionSchema, readPosition } from "@/engine/messages/positions/position";
import { UnreadableMessage } from "@/engine/messages/reading";
import { listDiagnosticChanges } from "@/engine/messages/texts/diagnostic-changes";
import { isDiagnosticSchema } from "@/engine/messages/texts/diagnostic-status";
import { isLogSchema, logLevels } from "@/engine/messages/texts/log-line";
import { readLogs, type TimedLogLine } from "@/engine/messages/texts/log-lines";
import { toJpeg, type Jpeg } from "@/server/features/captures/jpeg";
import { ReadBudget } from "@/server/features/captures/read-budget";
import type {
  CapturedFix,
  CapturedLine,
  CapturedPicture,
  CapturedPosition,
  Findings,
} from "@/server/features/captures/resource";
import { readVideoJpeg } from "@/server/features/captures/video-jpeg";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";

/** Moments of which pictures are kept, milliseconds from the trigger; that of the trigger comes first. */
const moments = [0, -2_000, -1_000, 1_000];
const maxCameras = 6;
/** Bytes that are read of the files, and milliseconds that it may take. */
const maxReadBytes = 64 * 1024 * 1024;
const budgetMs = 20_000;
/** What pictures leave for log lines, diagnostics and the place. */
const reserved = { bytes: 24 * 1024 * 1024, ms: 6_000 };
/** Bytes of unpacked chunks that are kept in memory. */
const chunkBytes = 64 * 1024 * 1024;
const second = 1_000_000_000n;
const minute = 60n * second;
const logReach = { before: minute, after: minute, maxBefore: 1_000, maxAfter: 1_000 };
/** A fix older than this says nothing about the moment. */
const maxFixAge = 10n * second;
const linesEachSide = 5;
const maxErrors = 20;
const maxChanges = 20;
const maxTextLength = 1_000;

/** A topic of a recording with messages. */
interface TopicOf {
  name: string;
  schemaName: string;
}

/** What is to be kept of a recording. */
export interface Moment {
  triggeredNs: bigint;
  /** Topics that the rule looked at: their cameras come first. */
  ruleTopics: readonly string[];
  /** One picture of one camera instead of several of each. */
  brief: boolean;
}

export interface Captured {
  pictures: (CapturedPicture & { bytes: Uint8Array })[];
  findings: Findings;
}

/** Reads pictures, log lines and the place around a moment by the table of chunks, within fixed limits. */
export async function readCapture(
  pack: Uint8Array,
  files: readonly ByteSource[],
  topics: readonly TopicOf[],
  moment: Moment,
  signal: AbortSignal,
): Promise<Captured | null> {
  const budget = new ReadBudget(maxReadBytes, budgetMs, signal);
  const sources = new Map(files.map((file) => [file.id ?? "", budget.limit(file)]));
  const opened = openPacked(pack, sources, await recordingCodecs(), chunkBytes);
  return opened && new CaptureReading(opened.chunks, topics, moment, budget).read();
}

class CaptureReading {
  private readonly decoders = new MessageDecoders();
  private readonly notes = new Set<string>();

  constructor(
    private readonly chunks: ChunkReader,
    private readonly topics: readonly TopicOf[],
    private readonly moment: Moment,
    private readonly budget: ReadBudget,
  ) {}

  async read(): Promise<Captured> {
    const pictures: Captured["pictures"] = [];
    const findings: Findings = { lines: [], errors: [], diagnostics: [], fix: null, position: null, notes: [] };
    const hasPictures = await this.budget.leaving(reserved, () => this.readPictures(pictures));
    if (!hasPictures) this.notes.add("Not every picture was read: they are too large, or lie too far apart.");
    const hasRest = await this.budget.leaving({ bytes: 0, ms: 0 }, async () => {
      findings.fix = await this.readFix();
      if (findings.fix === null) findings.position = await this.readPosition();
      Object.assign(findings, await this.readLines());
      findings.diagnostics = await this.readDiagnostics();
    });
    if (!hasRest) this.notes.add("Not everything around this moment was read: its messages lie too far apart.");
    return { pictures, findings: { ...findings, notes: [...this.notes] } };
  }

  private async readPictures(pictures: Captured["pictures"]): Promise<void> {
    const { triggeredNs, brief } = this.moment;
    const cameras = this.listCameras();
    if (brief && cameras.length > 0)
      this.notes.add("Only one picture was kept: this rule triggers very often on this device.");
    const kept = new Set<string>();
    for (const wanted of brief ? moments.slice(0, 1) : moments) {
      for (const { name } of brief ? cameras.slice(0, 1) : cameras) {
        const message = await this.findMessage(name, triggeredNs + BigInt(wanted) * 1_000_000n);
        if (message === null || kept.has(`${name} ${message.logTime}`)) continue;
        kept.add(`${name} ${message.logTime}`);
        this.budget.take(0);
        const jpeg = await this.orNote(name, () => this.readJpeg(message));
        if (jpeg === null) continue;
        pictures.push({
          topic: name,
          wanted_ms: wanted,
          offset_ns: String(message.logTime - triggeredNs),
          width: jpeg.width,
          height: jpeg.height,
          size_bytes: jpeg.bytes.length,
          bytes: jpeg.bytes,
        });
      }
    }
  }

  /** Those near the topics of the rule first: of the same robot, or the same part of it. */
  private listCameras(): TopicOf[] {
    const { ruleTopics } = this.moment;
    const nearness = (name: string) => Math.max(0, ...ruleTopics.map((other) => countShared(name, other)));
    const cameras = this.topics.filter(({ schemaName }) => isCameraSchema(schemaName));
    cameras.sort((a, b) => nearness(b.name) - nearness(a.name) || (a.name < b.name ? -1 : 1));
    if (cameras.length > maxCameras)
      this.notes.add(`Pictures of ${cameras.length - maxCameras} more cameras were not kept.`);
    return cameras.slice(0, maxCameras);
  }

  private async readJpeg(message: RawMessage): Promise<Jpeg> {
    const { topic, schemaName } = message.channel;
    if (isVideoSchema(schemaName)) {
      this.budget.take(0); // decoding takes time, also of what is in memory
      return readVideoJpeg(this.chunks, this.decoders, { topic, at: message.logTime }, this.budget.signal);
    }
    const adapter = findPictureAdapter(schemaName);
    if (adapter === null) throw new UnreadableMessage(`Messages of ${schemaName} are no pictures.`);
    return toJpeg(adapter(this.decoders.decode(message)));
  }

  private async readFix(): Promise<CapturedFix | null> {
    const { triggeredNs } = this.moment;
    for (const { name } of this.topics.filter(({ schemaName }) => isFixSchema(schemaName))) {
      const message = await this.findMessage(name, triggeredNs);
      if (message === null || triggeredNs - message.logTime > maxFixAge) continue;
      const fix = await this.orNote(name, () => readFix(this.decoders.decode(message)));
      if (fix) return { topic: name, offset_ns: String(message.logTime - triggeredNs), ...fix };
    }
    return null;
  }

  private async readPosition(): Promise<CapturedPosition | null> {
    const { triggeredNs } = this.moment;
    const ranked = this.topics.flatMap(({ name, schemaName }) => {
      const rank = rankPositionSchema(schemaName);
      return rank === null ? [] : [{ name, rank }];
    });
    for (const { name } of ranked.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))) {
      const message = await this.findMessage(name, triggeredNs);
      if (message === null || triggeredNs - message.logTime > maxFixAge) continue;
      const position = await this.orNote(name, () => readPosition(this.decoders.decode(message)));
      if (position) return { topic: name, offset_ns: String(message.logTime - triggeredNs), ...position };
    }
    return null;
  }

  /** Bytes of chunks between which is read. A quarter of what is left is for what is read along with them. */
  private get maxRangeBytes(): number {
    return Math.min(chunkBytes, this.budget.bytes * 0.75);
  }

  /** The part of the minutes around the moment that may be read of topics. */
  private narrow(topics: readonly string[]): TimeRange {
    const { triggeredNs } = this.moment;
    const wanted = { start: triggeredNs - minute, end: triggeredNs + minute };
    return this.chunks.narrow(topics, wanted, triggeredNs, this.maxRangeBytes);
  }

  /** Parts whose level changed: those nearest to the moment. */
  private async readDiagnostics(): Promise<Findings["diagnostics"]> {
    const { triggeredNs } = this.moment;
    const topics = this.topics.filter(({ schemaName }) => isDiagnosticSchema(schemaName)).map(({ name }) => name);
    if (topics.length === 0) return [];
    const read = () => listDiagnosticChanges(this.chunks, this.decoders, topics, this.narrow(topics));
    const changes = (await this.orNote(topics.join(", "), read)) ?? [];
    changes.sort((a, b) => compare(distance(a, triggeredNs), distance(b, triggeredNs)));
    return changes
      .slice(0, maxChanges)
      .sort(byTime)
      .map(({ time, topic, name, before, level, text }) => ({
        time_ns: String(time),
        topic,
        name: name.slice(0, 200),
        before,
        level,
        text: text.slice(0, maxTextLength),
      }));
  }

  private async readLines(): Promise<Pick<Findings, "lines" | "errors">> {
    const { triggeredNs } = this.moment;
    const logs = this.topics.filter(({ schemaName }) => isLogSchema(schemaName)).map(({ name }) => name);
    if (logs.length === 0) return { lines: [], errors: [] };
    const read = await this.orNote(logs.join(", "), () =>
      readLogs(this.chunks, this.decoders, logs, triggeredNs, {
        ...logReach,
        maxBytes: this.maxRangeBytes,
      }),
    );
    if (read) this.noteRange(read.range);
    const all = read?.lines ?? [];
    const before = chooseLines(all.filter(({ time }) => time <= triggeredNs).reverse());
    const after = chooseLines(all.filter(({ time }) => time > triggeredNs));
    const errors = all.filter(isError).sort((a, b) => compare(distance(a, triggeredNs), distance(b, triggeredNs)));
    return {
      lines: [...before.reverse(), ...after].map(toLine),
      errors: errors.slice(0, maxErrors).sort(byTime).map(toLine),
    };
  }

  /** Says how far the log was read, where that is less than a minute and not because the recording ends. */
  private noteRange({ start, end }: TimeRange): void {
    const { triggeredNs } = this.moment;
    const { range } = this.chunks;
    if (start <= later(triggeredNs - minute, range.start) && end >= earlier(triggeredNs + minute, range.end)) return;
    const seconds = (ns: bigint) => Math.floor(Number(ns) / 1e9);
    this.notes.add(
      `The log was read from ${seconds(triggeredNs - start)} s before to ${seconds(end - triggeredNs)} s after the moment.`,
    );
  }

  private findMessage(topic: string, at: bigint): Promise<RawMessage | null> {
    return this.orNote(topic, () => this.chunks.findLatest(topic, at));
  }

  /** What `read` gives; null with a note when the messages of a topic cannot be read. */
  private async orNote<T>(topic: string, read: () => T | Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
      this.notes.add(`${topic}: ${error.message}`);
      return null;
    }
  }
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

interface Timed {
  time: bigint;
}
const byTime = (a: Timed, b: Timed): number => compare(a.time, b.time);
const distance = ({ time }: Timed, at: bigint): bigint => (time < at ? at - time : time - at);
const isError = ({ level }: TimedLogLine): boolean => level === "error" || level === "fatal";
const isSerious = ({ level }: TimedLogLine): boolean =>
  level !== null && logLevels.indexOf(level) >= logLevels.indexOf("warning");

/** Five of the lines, which come by their distance: warnings and worse before all others, then the nearest. */
function chooseLines(lines: readonly TimedLogLine[]): TimedLogLine[] {
  const chosen = new Set([...lines.filter(isSerious), ...lines].slice(0, linesEachSide));
  for (const line of lines) if (chosen.size < linesEachSide) chosen.add(line);
  return lines.filter((line) => chosen.has(line));
}

const toLine = ({ time, topic, level, node, text }: TimedLogLine): CapturedLine => ({
  time_ns: String(time),
  topic,
  level,
  node: node.slice(0, 200),
  text: text.slice(0, maxTextLength),
});

/** How many parts two names of topics begin with together. */
function countShared(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}
