/** Values over time that are joined by straight pieces. */
export interface Line {
  /** Seconds, rising. */
  times: ArrayLike<number>;
  /** Null where the line breaks: nothing is known from the value before to the value after. */
  values: ArrayLike<number | null>;
}

/** The line `seconds` later. */
export const moveLine = ({ times, values }: Line, seconds: number): Line => ({
  times: seconds === 0 ? times : Array.from(times, (time) => time + seconds),
  values,
});

/** The values of a line at rising times; NaN where it breaks, before its beginning and after its end. */
export function readLine({ times, values }: Line, at: ArrayLike<number>): Float64Array {
  const read = new Float64Array(at.length).fill(NaN);
  const last = times.length - 1;
  let piece = 0;
  for (let index = 0; index < at.length; index++) {
    const time = at[index]!;
    while (piece < last && times[piece + 1]! <= time) piece++;
    const [from, start] = [times[piece], values[piece]];
    if (from === undefined || start === null || start === undefined || time < from) continue;
    if (time === from) {
      read[index] = start;
      continue;
    }
    const [to, end] = [times[piece + 1], values[piece + 1]];
    if (to === undefined || end === null || end === undefined) continue;
    read[index] = start + ((end - start) * (time - from)) / (to - from);
  }
  return read;
}
