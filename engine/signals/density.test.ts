import { expect, test } from "vitest";
import { decodeDensity, DensityCounts, encodeDensity } from "@/engine/signals/density";

test("every message is counted once, including those at the ends and outside", () => {
  const density = new DensityCounts(1_000n, 2_000n, 1);
  for (const time of [999n, 1_000n, 1_500n, 2_000n, 2_001n]) density.add("/a", time);
  const [row] = [...density.finish()];
  expect(row).toMatchObject({ topic: "/a", count: 5 });
  const counts = decodeDensity(row!.data);
  expect([counts[0], counts[1_024], counts.at(-1)]).toEqual([2, 1, 2]);
});

test("counts of any size are encoded without loss", () => {
  for (const list of [
    [0, 255],
    [0, 65_535, 3],
    [4_000_000_000, 1],
  ])
    expect(decodeDensity(encodeDensity(Uint32Array.from(list)))).toEqual(list);
});

test("many topics share the budget of one", () => {
  const density = new DensityCounts(0n, 100n, 100_000);
  density.add("/a", 50n);
  expect(decodeDensity([...density.finish()][0]!.data)).toHaveLength(64);
});
