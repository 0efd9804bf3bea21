import { emptyRange, type ChunkRef, type ChunkTimes, type IndexedFile } from "@/engine/formats/indexed-file";
import type { Allowance } from "@/engine/formats/limits";
import type { Gap } from "@/engine/formats/recording";
import { BucketCounts } from "@/engine/formats/stats/bucket-counts";
import { ClockReturns, type ClockReturn } from "@/engine/formats/stats/clock-returns";
import { PeriodCounts } from "@/engine/formats/stats/periods";
import { TimeGroups, type TimeGroup } from "@/engine/formats/stats/time-groups";
import {
  findEnds,
  findGaps,
  findRange,
  joinTimes,
  listGaps,
  lowerBound,
  toHalves,
  widenBy,
  type TimeGap,
} from "@/engine/formats/stats/time-lists";
import { TimeSlicer } from "@/engine/time-slicer";

const SECOND = 1_000_000_000;
/** Distinct periods counted exactly for all topics together, about 40 bytes each. */
const PERIODS = 500_000;
/** Log times held back while chunks overlap, 8 bytes each. */
const MAX_PENDING = 4_000_000;
/** Times counted in one batch where chunks do not overlap. */
const FLUSH = 65_536;
const MAX_GAPS = 1000;
/** Long, because pages pay for each pause with milliseconds. */
const sliceMs = 100;
/** A silence lasts longer than a second and than so many median periods. */
const SILENT_PERIODS = 5;
/** A median period below this makes no silence longer. */
const LEAST_PERIOD = SECOND / SILENT_PERIODS;

interface ChannelStats {
  messageCount: number;
  firstTime: bigint;
  lastTime: bigint;
}

export interface RecordingStats {
  /** By topic. */
  topics: Map<string, ChannelStats & { medianPeriodNs: bigint | null; buckets: BucketCounts }>;
  /** Where the buckets begin that the times of topics were counted in; null where they were not all. */
  bucketsFrom: bigint | null;
  /** By channel id; the topic's counts split by how the messages are encoded. */
  channels: Map<number, number>;
  silences: Gap[];
  messageCount: number;
  startTime: bigint;
  endTime: bigint;
  /** Topics with messages in some chunk that are older than others in a chunk before it. */
  disordered: ReadonlySet<string>;
  /** Messages counted per file, to be compared with the file's own count. */
  perFile: Map<IndexedFile, number>;
  /** Times were too interleaved to be sorted within the memory limit; the periods are approximate. */
  approximate: boolean;
  /** The range of the times counted when others were left out, nanoseconds, both ends included; null for all. */
  window: TimeGroup | null;
  /** The times that were left out, those before the window and those after it. */
  outliers: TimeGroup[];
  /** Where the clock of a recorder went back furthest; null when it did not. */
  clockReturn: ClockReturn | null;
}

/** The range of a chunk starts earlier than its index said: the pass has to be restarted. */
export class RangeChanged extends Error {}

/**
 * Counts, first and last times, median periods and silences of all topics from the log times alone. Times stream
 * through in order: what lies before the start of the next chunk is final and is released. When some messages are
 * outliers, the times are counted once more without them.
 */
export async function gatherStats(files: readonly IndexedFile[], allowance: Allowance): Promise<RecordingStats> {
  const all = await gatherWithin(files, allowance, null);
  const window = all.groups.main();
  if (window === null) return all.finish();
  return (await gatherWithin(files, allowance, window)).finish();
}

async function gatherWithin(
  files: readonly IndexedFile[],
  allowance: Allowance,
  window: TimeGroup | null,
  joinsAll = false,
): Promise<Gathering> {
  const chunks = files.flatMap((file) => file.chunks).sort((a, b) => compareStarts(a, b));
  const topicCount = new Set(files.flatMap((file) => file.definitions.map((definition) => definition.topic))).size;
  const periodCap = Math.max(128, Math.min(8192, Math.floor(PERIODS / Math.max(1, topicCount))));
  const start = window?.start ?? chunks[0]?.startTime ?? 0n;
  const gathering = new Gathering(start, new ClockReturns(files), periodCap, window, joinsAll);
  const slicer = new TimeSlicer(undefined, undefined, sliceMs);
  const pause = async (): Promise<void> => {
    allowance.checkTime();
    allowance.pause();
    await slicer.yield();
    allowance.resume();
  };
  let prepared = 0;
  for (const [i, chunk] of chunks.entries()) {
    allowance.checkTime();
    for (; prepared < chunks.length; prepared++) {
      const ahead = chunks[prepared]!;
      if (prepared > i + ahead.file.timesAhead(ahead)) break;
      if (prepared > i) ahead.file.prepare(ahead, "times");
    }
    const declared = chunk.startTime;
    const times = await chunk.file.times(chunk);
    if (chunk.startTime < declared) throw new RangeChanged();
    if (window !== null) narrow(chunk, times, window);
    for (const [slot, list] of times) {
      gathering.add(chunk, slot, list);
      if (slicer.isOver) await pause();
    }
    const next = chunks[i + 1];
    for (const _ of gathering.flush(next === undefined ? null : next.startTime)) if (slicer.isOver) await pause();
  }
  return gathering.isUnsure ? gatherWithin(files, allowance, window, true) : gathering;
}

/** Leaves the outliers out of a chunk's range, so that chunks are read in the order of what is wanted of them. */
function narrow(chunk: ChunkRef, times: ChunkTimes, window: TimeGroup): void {
  const range = emptyRange();
  for (const list of times.values())
    widenBy(
      range,
      list.filter((time) => isWithin(time, window)),
    );
  chunk.startTime = range.start;
  chunk.endTime = range.end;
}

const isWithin = (time: bigint, { start, end }: TimeGroup): boolean => time >= start && time <= end;

function compareStarts(a: ChunkRef, b: ChunkRef): number {
  return a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : 0;
}

interface Topic extends ChannelStats {
  pending: BigInt64Array[];
  pendingCount: number;
  last: bigint | null;
  /** The latest time in the chunks so far. */
  latest: bigint;
  periods: PeriodCounts;
  buckets: BucketCounts;
}

class Gathering {
  readonly groups = new TimeGroups();
  private readonly topics = new Map<string, Topic>();
  private readonly channels = new Map<number, number>();
  private readonly perFile = new Map<IndexedFile, number>();
  private readonly disordered = new Set<string>();
  private readonly early: TimeGroup = { ...emptyRange(), count: 0 };
  private readonly late: TimeGroup = { ...emptyRange(), count: 0 };
  private readonly allPeriods = new PeriodCounts(65_536, LEAST_PERIOD);
  private silences: TimeGap[] = [];
  private last: bigint | null = null;
  private pending = 0;
  private leftOver = 0;
  private approximate = false;
  /** Of periods below `LEAST_PERIOD` fewer were counted than there are. */
  private estimated = false;

  constructor(
    /** The first time, as the index says. */
    private readonly start: bigint,
    private readonly clock: ClockReturns,
    private readonly periodCap: number,
    private readonly window: TimeGroup | null,
    private readonly joinsAll: boolean,
  ) {}

  /** Whether the median period of all topics together may be below what was counted, and change the silences. */
  get isUnsure(): boolean {
    return this.estimated && this.allPeriods.median() !== null;
  }

  add(chunk: ChunkRef, slot: number, listed: BigInt64Array): void {
    const { file } = chunk;
    const channel = file.channels[slot];
    if (channel === undefined || listed.length === 0) return;
    this.perFile.set(file, (this.perFile.get(file) ?? 0) + listed.length);
    const { window } = this;
    const times = window === null ? listed : listed.filter((time) => isWithin(time, window));
    if (window !== null && times.length < listed.length) this.leaveOut(listed, window);
    if (times.length === 0) return;
    let topic = this.topics.get(channel.topic);
    if (topic === undefined) {
      const first = times[0] ?? 0n;
      const periods = new PeriodCounts(this.periodCap);
      const none = { messageCount: 0, pending: [], pendingCount: 0, last: null, latest: -1n };
      topic = { ...none, firstTime: first, lastTime: first, periods, buckets: new BucketCounts() };
      this.topics.set(channel.topic, topic);
    }
    const { first, last } = findEnds(times);
    if (first < topic.latest) this.disordered.add(channel.topic);
    if (last > topic.latest) topic.latest = last;
    this.clock.add(chunk, slot, times, first, last);
    topic.messageCount += times.length;
    topic.pending.push(times);
    topic.pendingCount += times.length;
    this.pending += times.length;
    this.channels.set(channel.id, (this.channels.get(channel.id) ?? 0) + times.length);
  }

  private leaveOut(listed: BigInt64Array, window: TimeGroup): void {
    for (const [outside, times] of [
      [this.early, listed.filter((time) => time < window.start)],
      [this.late, listed.filter((time) => time > window.end)],
    ] as const) {
      if (times.length === 0) continue;
      outside.count += times.length;
      widenBy(outside, times);
    }
  }

  /**
   * Counts all times before `before`; null counts everything. Waits until there are twice as many as were left over
   * the last time, so that times held back by chunks that overlap are not sorted again for every chunk. Topics are counted
   * one after another, which may be paused.
   */
  *flush(before: bigint | null): Generator<void> {
    if (before !== null && this.pending < 2 * this.leftOver + FLUSH) return;
    const counted: BigInt64Array[] = [];
    const force = this.pending > MAX_PENDING;
    if (force && before !== null) this.approximate = true;
    for (const topic of this.topics.values()) {
      if (topic.pendingCount === 0) continue;
      this.count(topic, force ? null : before, counted);
      yield;
    }
    this.leftOver = this.pending;
    this.addAll(counted);
  }

  private count(topic: Topic, before: bigint | null, counted: BigInt64Array[]): void {
    const times = joinTimes(topic.pending);
    const end = before === null ? times.length : lowerBound(times, before);
    const head = times.subarray(0, end);
    topic.pending = end < times.length ? [times.slice(end)] : [];
    topic.pendingCount = times.length - end;
    this.pending -= end;
    if (head.length === 0) return;
    const first = head[0]!;
    const last = head[head.length - 1]!;
    if (topic.last !== null) topic.periods.add(Math.abs(Number(first - topic.last)));
    topic.last = last;
    topic.periods.addBetween(toHalves(head));
    topic.buckets.add(toHalves(head), this.start);
    if (first < topic.firstTime) topic.firstTime = first;
    if (last > topic.lastTime) topic.lastTime = last;
    counted.push(head);
  }

  /** Adds the times of all topics together, given as a list of each. */
  private addAll(lists: readonly BigInt64Array[]): void {
    if (lists.length === 0) return;
    for (const list of lists) this.groups.add(list);
    const { first, last } = findRange(lists);
    const isLater = this.last === null || first >= this.last;
    const found = isLater && !this.joinsAll ? findGaps(lists, LEAST_PERIOD) : null;
    if (found === null) return this.addJoined(joinTimes(lists));
    this.addNext(first);
    this.allPeriods.addShort(found.shorter);
    this.estimated = true;
    for (const { start, end } of found.gaps) {
      this.allPeriods.add(Number(end - start));
      this.addSilence(start, end);
    }
    this.last = last;
  }

  private addJoined(times: BigInt64Array): void {
    let at = 0;
    // Where chunks overlap, some may be older than what was counted before.
    for (; at < times.length && (this.last === null || times[at]! < this.last); at++) this.addNext(times[at]!);
    if (at === times.length) return;
    this.addNext(times[at]!);
    const rest = times.subarray(at);
    this.allPeriods.addBetween(toHalves(rest));
    for (const { start, end } of listGaps(rest, SECOND)) this.addSilence(start, end);
    this.last = times.at(-1)!;
  }

  private addNext(time: bigint): void {
    if (this.last !== null) {
      const period = Number(time - this.last);
      this.allPeriods.add(period);
      this.addSilence(this.last, time);
    }
    if (this.last === null || time > this.last) this.last = time;
  }

  private addSilence(start: bigint, end: bigint): void {
    if (end - start < SECOND) return;
    this.silences.push({ start, end });
    if (this.silences.length >= MAX_GAPS * 20) this.keepLongest(MAX_GAPS * 10);
  }

  private keepLongest(count: number): void {
    if (this.silences.length <= count) return;
    const longest = this.silences.sort(
      (a, b) => Number(b.end - b.start - (a.end - a.start)) || Number(a.start - b.start),
    );
    this.silences = longest.slice(0, count);
  }

  finish(): RecordingStats {
    const median = this.allPeriods.median() ?? 0n;
    const periods = BigInt(SILENT_PERIODS) * median;
    const limit = periods > BigInt(SECOND) ? periods : BigInt(SECOND);
    this.silences = this.silences.filter(({ start, end }) => end - start > limit);
    this.keepLongest(MAX_GAPS);
    this.silences.sort((a, b) => (a.start < b.start ? -1 : 1));
    const topics = [...this.topics].map(([name, topic]) => {
      const { messageCount, firstTime, lastTime, periods, buckets } = topic;
      const medianPeriodNs = messageCount < 3 ? null : periods.median();
      return [name, { messageCount, firstTime, lastTime, medianPeriodNs, buckets }] as const;
    });
    const stats = topics.map(([, topic]) => topic);
    const startTime = stats.reduce(
      (min, topic) => (topic.firstTime < min ? topic.firstTime : min),
      stats[0]?.firstTime ?? 0n,
    );
    return {
      topics: new Map(topics),
      bucketsFrom: startTime === this.start && !this.approximate ? startTime : null,
      channels: this.channels,
      silences: this.silences.map(({ start, end }) => ({ startTime: start, endTime: end, kind: "silence" })),
      messageCount: stats.reduce((sum, topic) => sum + topic.messageCount, 0),
      startTime,
      endTime: stats.reduce((max, topic) => (topic.lastTime > max ? topic.lastTime : max), 0n),
      perFile: this.perFile,
      disordered: this.disordered,
      approximate: this.approximate,
      window: this.window,
      outliers: [this.early, this.late].filter(({ count }) => count > 0),
      clockReturn: this.clock.finish(),
    };
  }
}
