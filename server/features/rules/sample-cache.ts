import { LRUCache } from "lru-cache";
import type { TopicSamples } from "@/engine/rules/columns";
import { processWide } from "@/server/platform/process-wide";

/** Memory for cached samples in one process. */
const budgetBytes = 96 * 1024 * 1024;
/** The limit for one recording; the samples of larger ones are not cached. */
export const recordingBytes = 24 * 1024 * 1024;
/** The size of an entry besides its samples: its key and its place in the list. */
const entryBytes = 200;

/** Samples by recording and topic; the least recently used are evicted first. */
export const sampleCache = processWide(
  "ruleSamples",
  () =>
    new LRUCache<string, TopicSamples>({ maxSize: budgetBytes, sizeCalculation: ({ bytes }) => bytes + entryBytes }),
);
