import { expect, test } from "vitest";
import type { ChunkRef, ChunkTimes, IndexedFile } from "@/engine/formats/indexed-file";
import { Allowance } from "@/engine/formats/limits";
import { gatherStats, type RecordingStats } from "@/engine/formats/stats/topic-stats";

const SECOND = 1_000_000_000n;

/** The statistics of topics given as their times in nanoseconds, stored in chunks of `chunkSeconds`. */
function gather(topics: readonly (readonly bigint[])[], chunkSeconds = 60): Promise<RecordingStats> {
  const chunkTimes: ChunkTimes[] = [];
  for (const [slot, times] of topics.entries()) {
    const getChunk = (time: bigint): number => Number(time / SECOND / BigInt(chunkSeconds));
    for (let from = 0, to = 0; from < times.length; from = to) {
      const at = getChunk(times[from]!);
      while (to < times.length && getChunk(times[to]!) === at) to += 1;
      (chunkTimes[at] ??= new Map()).set(slot, BigInt64Array.from(times.slice(from, to)));
    }
  }
  const file = {
    definitions: topics.map((_, slot) => ({ topic: `/${slot}` })),
    channels: topics.map((_, id) => ({ id, topic: `/${id}` })),
    prepare: () => {},
    timesAhead: () => 3,
    times: (chunk: ChunkRef) => Promise.resolve(chunkTimes[chunk.offset]!),
  } as unknown as IndexedFile;
  const chunks = chunkTimes.flatMap((lists, offset): ChunkRef[] => {
    const all = [...lists.values()].flatMap((list) => [...list]).sort((a, b) => (a < b ? -1 : 1));
    return [{ file, offset, startTime: all[0]!, endTime: all.at(-1)! } as ChunkRef];
  });
  return gatherStats([Object.assign(file, { chunks })], new Allowance());
}

const every = (period: bigint, count: number, start = 0n): bigint[] =>
  Array.from({ length: count }, (_, at) => start + BigInt(at) * period);

test("topics that share a slow clock are silent only when they all stop for long", async () => {
  const clock = [...every(2n * SECOND, 500), ...every(2n * SECOND, 500, 1_500n * SECOND)];
  const stats = await gather(Array.from({ length: 100 }, () => clock));
  expect(stats.silences).toEqual([{ startTime: 998n * SECOND, endTime: 1_500n * SECOND, kind: "silence" }]);
  expect(stats.topics.get("/7")).toMatchObject({ messageCount: 1_000, medianPeriodNs: 2n * SECOND });
});

test("a burst before a slow hour counts for the silences with all of its messages", async () => {
  // Of 10 topics of 200,000 messages in all, then one message each two seconds: more than the longest topic has.
  const burst = Array.from({ length: 10 }, (_, slot) => every(SECOND / 100n, 20_000, BigInt(slot) * 1_000_000n));
  const slow = every(2n * SECOND, 30_000, 300n * SECOND);
  const stats = await gather([...burst, slow], 10);
  // The median is short, so that each pause of the slow hours is a silence; the thousand longest are named.
  expect(stats.silences).toHaveLength(1_000);
  expect(stats.messageCount).toBe(230_000);
});

test("what other topics sent within a pause of the busiest one is no silence", async () => {
  const busy = [...every(SECOND / 1_000n, 70_000), ...every(SECOND / 1_000n, 70_000, 100n * SECOND)];
  const other = every(SECOND, 20, 71n * SECOND);
  expect((await gather([busy, other])).silences).toEqual([
    { startTime: 69_999n * (SECOND / 1_000n), endTime: 71n * SECOND, kind: "silence" },
    { startTime: 90n * SECOND, endTime: 100n * SECOND, kind: "silence" },
  ]);
  expect((await gather([busy, every(SECOND, 31, 70n * SECOND)])).silences).toEqual([]);
});
