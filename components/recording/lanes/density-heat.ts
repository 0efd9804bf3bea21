/** Messages per shade at least, so that regular topics look regular. */
const minMessagesPerShade = 24;

/**
 * Counts averaged over enough neighbours that a shade represents some two dozen messages, at most a
 * fiftieth of the recording: otherwise a topic of 5 Hz flickers between 4 and 5. Intervals without any stay empty.
 */
export function smoothed(counts: readonly number[]): { values: number[]; peak: number } {
  const busy = counts.filter((count) => count > 0);
  const mean = busy.reduce((sum, count) => sum + count, 0) / Math.max(1, busy.length);
  const radius = Math.floor(Math.min(counts.length / 50, minMessagesPerShade / Math.max(1, mean)) / 2);
  const sums = [0];
  for (const count of counts) sums.push((sums.at(-1) ?? 0) + count);
  let peak = 0;
  const values = counts.map((_, at) => {
    const from = Math.max(0, at - radius);
    const to = Math.min(counts.length, at + radius + 1);
    const value = ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from);
    peak = Math.max(peak, value);
    return value;
  });
  return { values, peak: Math.max(peak, 1e-9) };
}
