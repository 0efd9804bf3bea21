/** Moments of which pictures are made, at most so many. */
const maxFrames = 120;

/** The place of a number in an order that fills a range evenly however early it ends (van der Corput). */
function spread(number: number): number {
  let place = 0;
  for (let part = 0.5, rest = number; rest > 0; rest >>= 1, part /= 2) if (rest & 1) place += part;
  return place;
}

/** Moments within a range, in an order in which the first ones are spread over all of it. Nanoseconds. */
export function listMoments({ start, end }: { start: bigint; end: bigint }, count = maxFrames): bigint[] {
  const slots = Array.from({ length: count }, (_, slot) => slot);
  const order = slots.toSorted((a, b) => spread(a) - spread(b));
  // Each slot is taken once: the place of a number in the order is the slot that it stands for.
  const rank = new Map(order.map((slot, place) => [slot, place]));
  const step = (end - start) / BigInt(count);
  return slots.map((slot) => start + step * BigInt(rank.get(slot)!) + step / 2n);
}
