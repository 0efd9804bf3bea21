import { expect, test } from "vitest";
import { ConversionTime } from "@/server/features/conversions/conversion-time";

test("the conversions of a recording have one time for all of them, in which storing does not count", async () => {
  let now = 0;
  const time = new ConversionTime(10, 20_000_000, new AbortController().signal, () => now);
  const work = (ms: number) =>
    time.measure(async () => {
      now += ms;
      await time.steps.pause();
    });
  await work(40_000);
  now += 3_600_000;
  await work(29_000);
  await expect(work(2_000)).rejects.toThrow("Converting took longer than the 70 s allowed for its size.");
});
