import { LRUCache } from "lru-cache";
import type { MessageDecoder } from "@/engine/decode/decode";
import type { ReaderLimits } from "@/engine/formats/limits";
import { openRecording } from "@/engine/formats/reader/reader";
import type { Channel, RecordingReader } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { SampleCollector, type TopicSamples } from "@/engine/rules/columns";
import { createEvaluation, type RuleInput, type RuleResult } from "@/engine/rules/evaluate";
import { RuleFeed, tolerantDecoder, wantedTopics } from "@/engine/rules/feed";
import { outermost, listReads, topLevel } from "@/engine/rules/leaves";
import { unusableResult } from "@/engine/rules/preview-result";
import { TimeSlicer } from "@/engine/time-slicer";
import { openByteSources } from "@/server/features/recordings/file-service";
import type { StoredFacts } from "@/server/features/rules/facts-queries";
import { evaluateStored } from "@/server/features/rules/stored-topics";
import type { Ctx } from "@/server/platform/context";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { processWide } from "@/server/platform/process-wide";

/** Memory for cached samples in one process. */
const budgetBytes = 96 * 1024 * 1024;
/** The limit for one recording; the samples of larger ones are not cached. */
const recordingBytes = 24 * 1024 * 1024;
/** The size of an entry besides its samples: its key and its place in the list. */
const entryBytes = 200;

/** Samples by recording and topic; the least recently used are evicted first. */
const sampleCache = processWide(
  "ruleSamples",
  () =>
    new LRUCache<string, TopicSamples>({ maxSize: budgetBytes, sizeCalculation: ({ bytes }) => bytes + entryBytes }),
);

/** Messages between two checks of the time slice. */
const stride = 512;

/** A recording that was processed before, with its stored facts. */
export interface PastTarget {
  uid: string;
  facts: StoredFacts;
}

export interface PastOptions {
  signal?: AbortSignal;
  /** Caches the samples in memory, so that the next evaluation of the same fields reads no file. */
  cache?: boolean;
  limits?: ReaderLimits;
}

/** Results with the reason why a recording could not be read, for each of the rules. */
const toFailedResults = (rules: readonly RuleInput[], reason: string): RuleResult[] =>
  rules.map(({ uid, version }) => unusableResult(uid, version, reason));

/**
 * Evaluates rules over a processed recording exactly as processing does, reading only the topics they name. Unreadable
 * files give results with status `error`. Throws the signal's reason when aborted.
 */
export async function evaluatePast(
  ctx: Ctx,
  target: PastTarget,
  rules: readonly RuleInput[],
  options: PastOptions = {},
): Promise<RuleResult[]> {
  try {
    return options.cache
      ? ((await evaluateStored(ctx, target, rules, options.signal)) ?? (await fromSamples(ctx, target, rules, options)))
      : await fromFiles(ctx, target, rules, options);
  } catch (error) {
    if (error instanceof RecordingError) return toFailedResults(rules, error.message);
    if (isMissing(error)) return toFailedResults(rules, "A file of the recording is not there any more.");
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && error.name === "ObjectMissing";

const open = async (ctx: Ctx, target: PastTarget, options: PastOptions): Promise<RecordingReader> =>
  openRecording(await openByteSources(ctx, target.uid), await recordingCodecs(), options.limits);

async function fromFiles(
  ctx: Ctx,
  target: PastTarget,
  rules: readonly RuleInput[],
  options: PastOptions,
): Promise<RuleResult[]> {
  const topics = wantedTopics(createEvaluation(rules, target.facts), target.facts);
  const feed = new RuleFeed(rules, target.facts);
  if (topics.length > 0) {
    const slicer = new TimeSlicer(options.signal);
    const reader = await open(ctx, target, options);
    for await (const batch of reader.messages({
      topics: new Set(topics),
      start: target.facts.startTime,
      end: target.facts.endTime,
      ...(options.signal && { signal: options.signal }),
    })) {
      for (let at = 0; at < batch.length; at++) {
        feed.message(batch[at]!);
        if (at % stride === 0 && slicer.isOver) await slicer.yield();
      }
      if (slicer.isOver) await slicer.yield();
    }
  }
  return feed.finish();
}

async function fromSamples(
  ctx: Ctx,
  target: PastTarget,
  rules: readonly RuleInput[],
  options: PastOptions,
): Promise<RuleResult[]> {
  const { facts } = target;
  const evaluation = createEvaluation(rules, facts);
  const reads = listReads(rules.map((rule) => rule.condition));
  const readsFor = (topic: string) => (evaluation.wants(topic) === "values" ? reads(topic) : []);
  const toKey = (topic: string) => `${target.uid} ${facts.processed} ${topic}`;

  const held = new Map<string, TopicSamples>();
  const missing = new Map<string, string[][]>();
  for (const topic of wantedTopics(evaluation, facts)) {
    const samples = sampleCache.get(toKey(topic));
    if (samples?.covers(readsFor(topic))) held.set(topic, samples);
    else missing.set(topic, outermost([...readsFor(topic), ...(samples?.reads ?? [])]));
  }
  if (missing.size > 0) {
    const read = await collectSamples(await open(ctx, target, options), missing, facts, options);
    if (read === null) return fromFiles(ctx, target, rules, options);
    for (const [topic, samples] of read) {
      sampleCache.set(toKey(topic), samples);
      held.set(topic, samples);
    }
  }

  const slicer = new TimeSlicer(options.signal);
  for (const [topic, samples] of held) {
    for (let at = 0; at < samples.count; at += stride) {
      samples.replay(at, Math.min(samples.count, at + stride), (time, value) => evaluation.message(topic, time, value));
      if (slicer.isOver) await slicer.yield();
    }
  }
  return evaluation.finish();
}

/** Reads the samples of some topics; null when they are too large to cache. */
async function collectSamples(
  reader: RecordingReader,
  wanted: ReadonlyMap<string, string[][]>,
  { startTime: start, endTime: end }: StoredFacts,
  { signal }: PastOptions,
): Promise<Map<string, TopicSamples> | null> {
  const collectors = new Map([...wanted].map(([topic, reads]) => [topic, new SampleCollector(reads)]));
  const decoders = new Map<number, MessageDecoder | null>();
  const getDecoder = (channel: Channel, { reads }: SampleCollector) => {
    let decoder = decoders.get(channel.id);
    if (decoder === undefined) {
      decoder = reads.length === 0 ? null : tolerantDecoder(channel, topLevel(reads));
      decoders.set(channel.id, decoder);
    }
    return decoder;
  };
  const slicer = new TimeSlicer(signal);
  for await (const batch of reader.messages({
    topics: new Set(wanted.keys()),
    start,
    end,
    ...(signal && { signal }),
  })) {
    for (let at = 0; at < batch.length; at++) {
      const { channel, data, logTime } = batch[at]!;
      const collector = collectors.get(channel.topic);
      if (collector) collector.add(logTime, getDecoder(channel, collector)?.decode(data));
      if (at % stride === 0 && slicer.isOver) await slicer.yield();
    }
    let bytes = 0;
    for (const collector of collectors.values()) bytes += collector.size;
    if (bytes > recordingBytes) return null;
    if (slicer.isOver) await slicer.yield();
  }
  return new Map([...collectors].map(([topic, collector]) => [topic, collector.finish()]));
}
