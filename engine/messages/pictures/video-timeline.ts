import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { readVideoUnit, type VideoUnit } from "@/engine/messages/pictures/video";
import { describeStamp, readStamp } from "@/engine/messages/poses/stamp";
import { readFields, UnreadableMessage } from "@/engine/messages/reading";

/** A message of a topic of video. `unit` is null for one that cannot be read. */
export interface TimedUnit {
  /** Nanoseconds since 1970. */
  time: bigint;
  /** What is wrong with its own stamp; null when nothing is. */
  stampNote: string | null;
  unit: VideoUnit | null;
  /** Why it cannot be read. */
  reason: string;
}

/** How far a keyframe is looked for, in nanoseconds and in bytes of unpacked chunks. */
export interface VideoReach {
  span: bigint;
  maxBytes: number;
}

/** Where the picture of a moment is among the units of a timeline, which have numbers in the order of their messages. */
export type Located = Found | Missing;

/** `key` is the keyframe before `wanted`, `begin` the first message with its parameters; `end` is the first one not listed. */
export interface Found {
  state: "found";
  wanted: number;
  key: number;
  begin: number;
  end: number;
}

/** No keyframe before the moment, or none within reach. */
interface Missing {
  state: "none";
  /** The time of the next one. */
  first: bigint | null;
  /** Whether there are pictures without one. */
  isKeyless: boolean;
}

const second = 1_000_000_000n;
/** Units listed beyond a moment when the playhead passes the last one that is listed. */
const stepNs = second;
/** Messages at the beginning of a topic that may hold its parameters. */
const maxFirst = 8;

/** The units of a topic of video around the playhead: from the keyframe before it, without a hole. */
export class VideoTimeline {
  private units: TimedUnit[] = [];
  /** The number of the first unit. */
  private first = 0;
  /** Everything from `from` to `until` is listed. */
  private from = 0n;
  private until = -1n;
  /** A range without a keyframe before it, and the keyframe at its end; `unread`: why its messages cannot be read. */
  private without: { from: bigint; until: bigint; missing: Missing; unread: string } | null = null;

  constructor(
    private readonly topic: string,
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly reach: VideoReach,
  ) {}

  get(number: number): TimedUnit | null {
    return this.units[number - this.first] ?? null;
  }

  /** The time of the next keyframe after a unit among those that are listed; null when there is none. */
  findNextKey(number: number): bigint | null {
    return this.units.slice(number - this.first + 1).find(isKey)?.time ?? null;
  }

  /** The number of the keyframe that a unit follows; null where it is not listed. */
  findKey(number: number): number | null {
    const key = this.units.findLastIndex((each, index) => index <= number - this.first && isKey(each));
    return key < 0 ? null : this.first + key;
  }

  /** The picture of a moment, with the units of the next `ahead` nanoseconds. Throws when the recording cannot be read. */
  async locate(at: bigint, ahead: bigint): Promise<Located> {
    const { without } = this;
    if (without && at >= without.from && at <= without.until) return this.answer(without);
    const isNear = at >= this.from && at <= this.until + stepNs * 2n && this.units.length > 0;
    if (!isNear) {
      const missing = await this.load(at);
      if (missing) return missing;
    }
    if (at + ahead > this.until) await this.extend(at + ahead + stepNs);
    const found = this.find(at);
    return found ?? this.lookAhead(at, true);
  }

  /** The units with parameters at the beginning of the topic. */
  async listFirst(): Promise<VideoUnit[]> {
    const messages = await this.chunks.listBetween(this.topic, this.chunks.range, maxFirst);
    return messages.flatMap((message) => this.read(message).unit ?? []);
  }

  private find(at: bigint): Located | null {
    const wanted = this.units.findLastIndex(({ time, unit }) => time <= at && unit?.kind !== "parameters");
    const key = this.units.findLastIndex((each, index) => index <= wanted && isKey(each));
    if (key < 0) return null;
    const { first, units } = this;
    let begin = key;
    while (units[begin - 1]?.unit?.kind === "parameters") begin -= 1;
    return {
      state: "found",
      wanted: first + wanted,
      key: first + key,
      begin: first + begin,
      end: first + units.length,
    };
  }

  /** Drops the units before a number. */
  trim(number: number): void {
    const count = Math.min(number - this.first, this.units.length);
    if (count <= 0) return;
    this.units = this.units.slice(count);
    this.first += count;
    this.from = this.units[0]?.time ?? this.until;
  }

  /** Lists the units from the keyframe before a moment to the moment; resolves to what is missing otherwise. */
  private async load(at: bigint): Promise<Located | null> {
    this.first += this.units.length;
    this.units = [];
    const latest = await this.chunks.findLatest(this.topic, at);
    if (latest === null) return this.lookAhead(at, false);
    const reach = { start: latest.logTime - this.reach.span, end: latest.logTime };
    const limit = this.chunks.narrow([this.topic], reach, latest.logTime, this.reach.maxBytes).start;
    let units: TimedUnit[] = [];
    let from = latest.logTime + 1n;
    for (let span = second; from > limit && !units.some(isKey); span *= 2n) {
      const start = from - span > limit ? from - span : limit;
      units = [...(await this.list(start, from - 1n)), ...units];
      from = start;
    }
    const key = units.findLastIndex(isKey);
    if (key < 0) return this.lookAhead(at, true, units.at(-1)?.reason);
    // Parameters may be in a message of their own.
    let begin = key;
    while (units[begin - 1]?.unit?.kind === "parameters") begin -= 1;
    this.units = units.slice(begin);
    [this.from, this.until] = [this.units[0]!.time, at > latest.logTime ? at : latest.logTime];
    return null;
  }

  private async extend(until: bigint): Promise<void> {
    const units = await this.list(this.until + 1n, until);
    this.units.push(...units);
    this.until = until;
  }

  /** The next keyframe after a moment that has none before it. */
  private async lookAhead(at: bigint, hasPictures: boolean, reason = ""): Promise<Located> {
    const { start } = this.chunks.range;
    let unread = reason;
    let isKeyless = hasPictures;
    let from = at > start ? at : start;
    const reach = { start: from, end: from + this.reach.span };
    const { end } = this.chunks.narrow([this.topic], reach, from, this.reach.maxBytes);
    for (let span = second; from <= end; span *= 2n) {
      const until = from + span < end ? from + span : end;
      const units = await this.list(from, until);
      const key = units.findIndex(isKey);
      isKeyless ||= units.slice(0, key < 0 ? undefined : key).some(({ unit }) => unit?.kind !== "parameters");
      unread ||= units.slice(0, key < 0 ? undefined : key).findLast((each) => each.reason !== "")?.reason ?? "";
      if (key >= 0) return this.miss(at, units[key]!.time - 1n, { first: units[key]!.time, isKeyless }, unread);
      from = until + 1n;
    }
    // Beyond the reach the first message of the topic may still come.
    const first = isKeyless ? null : ((await this.chunks.findFirst(this.topic))?.logTime ?? null);
    const next = first !== null && first > at ? first : null;
    return this.miss(at, end > at ? end : at, { first: next, isKeyless }, unread);
  }

  private miss(from: bigint, until: bigint, what: Omit<Missing, "state">, unread: string): Missing {
    this.without = { from, until, missing: { state: "none", ...what }, unread };
    return this.answer(this.without);
  }

  private answer({ missing, unread }: { missing: Missing; unread: string }): Missing {
    if (unread !== "") throw new UnreadableMessage(unread);
    return missing;
  }

  private async list(start: bigint, end: bigint): Promise<TimedUnit[]> {
    await this.chunks.prefetch([this.topic], { start, end }, this.reach.maxBytes);
    const messages = await this.chunks.listBetween(this.topic, { start, end });
    return messages.map((message) => this.read(message));
  }

  private read(message: RawMessage): TimedUnit {
    const time = message.logTime;
    let stampNote: string | null = null;
    try {
      const value = this.decoders.decode(message);
      stampNote = describeStamp(readStamp(readFields(value)), time);
      return { time, stampNote, unit: readVideoUnit(value), reason: "" };
    } catch (error) {
      if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
      return { time, stampNote, unit: null, reason: error.message };
    }
  }
}

const isKey = ({ unit }: TimedUnit): boolean => unit?.kind === "key";
