import type { Log } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

/** What came since the last line about it. */
interface Repeated {
  count: number;
  /** Of the last one: its log may name a job. */
  log: Pick<Log, "warn">;
  fields: object;
  text: string;
}

const repeatMs = 60_000;
/** Beyond it warnings share one entry: their texts are few, unless one holds what differs each time. */
const maxKeys = 200;
const repeated = processWide("repeatedWarnings", () => new Map<string, Repeated>());

/**
 * Logs a warning that a fault may cause many times a second: the first at once, then while it lasts one line a minute with
 * the `count` of those since, and the `fields` and text of the last. `key`: what counts as the same warning; its text by default.
 */
export function warnRepeated(log: Pick<Log, "warn">, fields: object, text: string, key = text): void {
  const known = repeated.has(key) || repeated.size < maxKeys ? key : "others";
  const before = repeated.get(known);
  if (before) {
    Object.assign(before, { count: before.count + 1, log, fields, text });
    return;
  }
  log.warn(fields, text);
  const entry: Repeated = { count: 0, log, fields, text };
  repeated.set(known, entry);
  const timer = setInterval(() => {
    if (entry.count === 0) {
      clearInterval(timer);
      repeated.delete(known);
      return;
    }
    entry.log.warn({ ...entry.fields, count: entry.count, seconds: repeatMs / 1_000 }, entry.text);
    entry.count = 0;
  }, repeatMs);
  timer.unref();
}
