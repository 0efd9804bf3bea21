/** `npm test -- --full` sets it. */
export const isFull = process.env.MUSTER_TEST_CASES === "all";

/** How many of so many generated cases run: a fifth, or all in a full run. */
export const countShare = (count: number): number => (isFull ? count : Math.ceil(count / 5));

/** Every fifth of generated cases, from the first on, or all in a full run. */
export const share = <T>(cases: readonly T[]): T[] => cases.filter((_, at) => isFull || at % 5 === 0);
