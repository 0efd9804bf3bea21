import { LRUCache } from "lru-cache";
import type { TopicSamples } from "@/engine/rules/columns";
import { processWide } from "@/server/platform/process-wide";

/** Memory that kept samples may take in one process. */
const budgetBytes = 96 * 1024 * 1024;
/** What one recording may take of it; larger ones are read again each time. */
export const recordingBytes = 24 * 1024 * 1024;
/** What an entry takes beside its samples: its key, and its place in the list. */
const entryBytes = 200;

/** Samples by recording and topic; what was not asked for the longest goes first. */
export const sampleCache = processWide(
  "ruleSamples",
  () =>
    new LRUCache<string, TopicSamples>({ maxSize: budgetBytes, sizeCalculation: ({ bytes }) => bytes + entryBytes }),
);
