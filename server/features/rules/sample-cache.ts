import type { TopicSamples } from "@/engine/rules/columns";
import { processWide } from "@/server/platform/process-wide";

/** Memory that kept samples may take in one process. */
const budgetBytes = 96 * 1024 * 1024;
/** What one recording may take of it; larger ones are read again each time. */
export const recordingBytes = 24 * 1024 * 1024;

/** Samples by recording and topic; what was not asked for the longest goes first. */
class SampleCache {
  private readonly entries = new Map<string, TopicSamples>();
  private bytes = 0;

  get(key: string): TopicSamples | undefined {
    const found = this.entries.get(key);
    if (found) {
      this.entries.delete(key);
      this.entries.set(key, found);
    }
    return found;
  }

  set(key: string, samples: TopicSamples): void {
    this.drop(key);
    this.entries.set(key, samples);
    this.bytes += samples.bytes;
    for (const [oldest] of this.entries) {
      if (this.bytes <= budgetBytes) break;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.bytes -= this.entries.get(key)?.bytes ?? 0;
    this.entries.delete(key);
  }
}

export const sampleCache = processWide("ruleSamples", () => new SampleCache());
