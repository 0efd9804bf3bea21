/** A seeded random generator: the same seed gives the same numbers. */
export interface Chance {
  /** In [low, high). */
  between: (low: number, high: number) => number;
  shuffled: <T>(items: readonly T[]) => T[];
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  return {
    between: (low, high) => low + next() * (high - low),
    shuffled: (items) => {
      const left = [...items];
      for (let at = left.length - 1; at > 0; at--) {
        const other = Math.floor(next() * (at + 1));
        [left[at], left[other]] = [left[other]!, left[at]!];
      }
      return left;
    },
  };
}
