import type { Codecs } from "@/engine/formats/codecs/codecs";
import { awaitJob, claimJob, unpackJob, type ChunkJob, type UnpackThread } from "@/engine/formats/mcap/chunk-job";
import { SharedMemory } from "@/engine/formats/mcap/shared-memory";

const never = (): Promise<void> => Promise.reject(new Error("nothing was claimed"));

/** Stand-ins for a thread, one for each way in which it may be ahead of the reader or behind it. */
export const makeThreads = (codecs: Codecs): Record<string, UnpackThread> => ({
  "a thread that never begins": { leastBytes: 0, memory: new SharedMemory(), begin: () => {}, settle: never },
  "a thread that is always first": {
    leastBytes: 0,
    memory: new SharedMemory(),
    begin: (job) => void (claimJob(job) && unpackJob(job, codecs)),
    settle: never,
  },
  "a thread that is waited for": makeSlow(codecs),
  "a thread that is far behind": makeLate(codecs),
  "a thread that ends": {
    leastBytes: 0,
    memory: new SharedMemory(),
    begin: (job) => void claimJob(job),
    settle: () => Promise.resolve(),
  },
});

/** Claims chunks at once, and unpacks them when they are waited for. */
function makeSlow(codecs: Codecs): UnpackThread {
  return {
    leastBytes: 0,
    memory: new SharedMemory(),
    begin: (job) => void claimJob(job),
    async settle(job) {
      if (!awaitJob(job)) throw new Error("nobody is at it");
      await new Promise((resolve) => setTimeout(resolve));
      if (!unpackJob(job, codecs)) throw new Error("its reader does not wait");
    },
  };
}

/** Comes to a chunk when its memory is another's already. */
function makeLate(codecs: Codecs): UnpackThread {
  const jobs: ChunkJob[] = [];
  return {
    leastBytes: 0,
    memory: new SharedMemory(),
    begin(job) {
      jobs.push(job);
      const old = jobs.length > 12 ? jobs.shift()! : null;
      if (old !== null && claimJob(old)) unpackJob(old, codecs);
    },
    settle: never,
  };
}
