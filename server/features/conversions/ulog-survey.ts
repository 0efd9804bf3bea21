import type { ConversionOptions } from "@/engine/formats/conversion";
import type { UlogFile, UlogTopic } from "@/server/features/conversions/ulog-file";
import { readEntry, type UlogEntry } from "@/server/features/conversions/ulog-format";

/** Keys of a log that are kept. */
export const maxEntries = 20_000;
/** Microseconds since 1970 of 2000 and of 2223. */
const [earliestUtc, latestUtc] = [946_684_800_000_000n, 8_000_000_000_000_000n];
/** A time of 2001: a receiver without a fix counts from elsewhere, some from 2000. */
const earliestFix = 1_000_000_000_000_000n;
const maxStamp = 2n ** 64n - 1n;
/** Microseconds that a topic that came once may be later than all others. */
const tolerance = 10_000_000n;
/** The topics whose `time_utc_usec` says when a log was recorded. */
const clockTopics: ReadonlySet<string> = new Set(["vehicle_gps_position", "sensor_gps"]);

/** Whether microseconds are a time of day, rather than counted from the start of a vehicle. */
export const isTimeOfDay = (micros: bigint): boolean => micros >= earliestUtc && micros < latestUtc;

/** What has to be known of a log before its messages are written. */
export interface UlogSurvey {
  /** Where the log begins and ends, microseconds in its own time. Stamps outside are those of values from elsewhere. */
  start: bigint;
  end: bigint;
  /** What is added to its times to have microseconds since 1970, as its receiver of satellites says; null without one. */
  epoch: bigint | null;
  /** The parameters that change while it is written, with their values at its start; null where that is not known. */
  changing: Map<string, { type: "int32" | "float32" | "float64"; value: number | null }>;
}

/** Goes through a log once. */
export async function surveyUlog(
  file: UlogFile,
  { isDue, pause }: Pick<ConversionOptions, "isDue" | "pause">,
): Promise<UlogSurvey> {
  const survey = new Survey(file);
  for await (const batch of file.batches()) {
    for (const { type, body, view } of batch) {
      if (type === "D" && body.length > 2) survey.addData(view);
      else if (type === "L" && body.length >= 9) survey.addStamp(null, view.getBigUint64(1, true));
      else if (type === "P") survey.addParameter(readEntry(body));
    }
    if (isDue()) await pause();
  }
  return survey.finish();
}

class Survey {
  /** No stamp is earlier; null before there are any. */
  private earliest: bigint | null = null;
  /** By topic, and null for the log's own messages: how many there are, and the latest stamp. */
  private readonly stamps = new Map<UlogTopic | null, { count: number; latest: bigint }>();
  private hasData = false;
  private epoch: bigint | null = null;
  private readonly parameters = new Map<string, NonNullable<UlogEntry["number"]> & { isInitial: boolean }>();
  private readonly changing: UlogSurvey["changing"] = new Map();

  constructor(private readonly file: UlogFile) {}

  addData(view: DataView): void {
    this.hasData = true;
    const topic = this.file.topics.get(view.getUint16(0, true));
    if (!topic || view.byteLength < 10 + topic.timestamp) return;
    const stamp = view.getBigUint64(2 + topic.timestamp, true);
    this.addStamp(topic, stamp);
    if (this.epoch !== null || !clockTopics.has(topic.name)) return;
    const clock = topic.layout.find("time_utc_usec");
    if (clock === null || view.byteLength < 10 + clock) return;
    const utc = view.getBigUint64(2 + clock, true);
    if (utc > earliestFix && isTimeOfDay(utc)) this.epoch = utc - stamp;
  }

  addStamp(topic: UlogTopic | null, stamp: bigint): void {
    this.hasData = true;
    if (this.earliest === null || stamp < this.earliest) this.earliest = stamp;
    const known = this.stamps.get(topic);
    if (known === undefined) this.stamps.set(topic, { count: 1, latest: stamp });
    else {
      known.count += 1;
      if (stamp > known.latest) known.latest = stamp;
    }
  }

  addParameter(entry: UlogEntry | null): void {
    if (entry?.number == null) return;
    const { name, number } = entry;
    const known = this.parameters.get(name);
    if (known === undefined) {
      if (this.parameters.size >= maxEntries) return;
      this.parameters.set(name, { ...number, isInitial: !this.hasData });
      if (this.hasData) this.changing.set(name, { type: "float64", value: null });
    } else if (!this.changing.has(name) && !Object.is(known.value, number.value)) {
      if (this.hasData) this.changing.set(name, { type: known.type, value: known.value });
      else known.value = number.value;
    }
  }

  finish(): UlogSurvey {
    const { file, earliest, epoch, changing } = this;
    const stamps = [...this.stamps.values()];
    // A start after all data is none.
    const isStart = stamps.some(({ latest }) => latest >= file.startedAt);
    // A topic that came once may have a stamp of before the vehicle was last started, which can be of any size.
    const repeated = stamps.flatMap(({ count, latest }) => (count > 1 ? [latest] : []));
    const end = repeated.reduce<bigint | null>((last, one) => (last === null || one > last ? one : last), null);
    return {
      start: isStart ? file.startedAt : (earliest ?? file.startedAt),
      end: end === null ? maxStamp : end + tolerance,
      epoch,
      changing,
    };
  }
}
