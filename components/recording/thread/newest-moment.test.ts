import { expect, test } from "vitest";
import { NewestMoment } from "./newest-moment";

test("of the moments that are asked for while one is shown, only the newest is shown, and none after the end", async () => {
  const shown: number[] = [];
  let goOn = () => {};
  const moments = new NewestMoment<number>((moment) => {
    shown.push(moment);
    return new Promise((resolve) => (goOn = resolve));
  });
  const first = moments.show(1);
  await moments.show(2);
  await moments.show(3);
  expect(moments.isPassed).toBe(true);
  goOn();
  await expect.poll(() => shown).toEqual([1, 3]);
  expect(moments.isPassed).toBe(false);
  moments.repeat(3);
  moments.repeat(4);
  goOn();
  await expect.poll(() => shown).toEqual([1, 3, 3]);
  void moments.show(5);
  moments.close();
  goOn();
  await first;
  expect(shown).toEqual([1, 3, 3]);
});
