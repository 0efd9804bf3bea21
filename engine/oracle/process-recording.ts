import { timeBudgetMs, type Pass, type ProcessOptions } from "@/engine/columns/pass";
import { TopicReadings } from "@/engine/columns/topic-readings";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openRecording } from "@/engine/formats/reader/reader";
import { RecordingError } from "@/engine/formats/recording-error";
import type { RuleInput } from "@/engine/rules/evaluate";
import { factsFromSummary } from "@/engine/rules/facts";
import { RuleFeed } from "@/engine/rules/feed";
import { DensityCounts } from "@/engine/signals/density";
import { createSeriesBuilder } from "@/engine/signals/series";
import { TimeSlicer } from "@/engine/time-slicer";

/** Messages between two checks of the clock. */
const stride = 256;

/**
 * What `processColumns` finds, found in the plainest way: each message is decoded in the order of the merge and given to
 * series and rules. Tests and benches compare with it; no process of the product runs it. Throws a RecordingError for a
 * recording that cannot be processed at all, or not within the time limit for its size.
 */
export async function processRecording(
  files: readonly ByteSource[],
  rules: readonly RuleInput[],
  options: ProcessOptions,
): Promise<Pass> {
  const started = performance.now();
  const sizeBytes = files.reduce((sum, file) => sum + file.size, 0);
  const budget = options.limits?.timeBudgetMs ?? timeBudgetMs(sizeBytes);
  const reader = await openRecording(files, options.codecs, { ...options.limits, timeBudgetMs: budget });
  options.onProgress?.("indexing", 0);
  const before = await reader.summary();
  options.signal?.throwIfAborted();

  const slicer = new TimeSlicer(options.signal, options.giveWay);
  const pause = async (stage: "indexing" | "reading", done: number) => {
    if (performance.now() - started > budget) {
      throw new RecordingError(`Processing took longer than the ${Math.round(budget / 1000)} s allowed for its size.`);
    }
    options.onProgress?.(stage, done);
    await slicer.yield();
  };
  const topics = await TopicReadings.open(before, () => (slicer.isOver ? pause("indexing", 1) : undefined));
  const feed = new RuleFeed(
    rules,
    factsFromSummary(before, (topic) => topics.known(topic)),
  );
  const { startTime } = before;
  const widths = await reader.bucketWidths();
  const series = createSeriesBuilder({ startTime, expectedFields: topics.expectedFields, widths });
  const density = new DensityCounts(before.startTime, before.endTime, before.topics.length);
  const report = (count: number) =>
    pause("reading", before.messageCount === 0 ? 1 : Math.min(1, count / before.messageCount));

  let done = 0;
  for await (const batch of reader.messages(options.signal ? { signal: options.signal } : {})) {
    for (let at = 0; at < batch.length; at++) {
      const message = batch[at]!;
      topics.message(message, series);
      feed.message(message);
      density.add(message.channel.topic, message.logTime);
      if (at % stride === 0 && slicer.isOver) await report(done + at);
    }
    done += batch.length;
    if (slicer.isOver) await report(done);
  }
  const results = feed.finish();
  const summary = await reader.summary();
  const { droppedFields } = series;
  const dropped = droppedFields === 0 ? [] : [`${droppedFields} more fields were left out of the series.`];
  return {
    summary,
    sizeBytes,
    topics,
    series,
    density,
    results,
    pack: reader.pack(),
    warnings: [...new Set([...summary.warnings, ...topics.warnings(), ...dropped])],
    durationMs: performance.now() - started,
  };
}
