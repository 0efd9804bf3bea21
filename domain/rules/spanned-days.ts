const dayMs = 86_400_000;

/**
 * The days from when the first of some recordings began until the last ended, at least one: what hits a day are counted over
 * where no other time was chosen.
 */
export function spannedDays(spans: readonly { from: string; to: string }[]): number {
  if (spans.length === 0) return 1;
  const [from, to] = spans.reduce(
    ([first, last], span) => [Math.min(first, Date.parse(span.from)), Math.max(last, Date.parse(span.to))],
    [Infinity, -Infinity],
  );
  return Math.max(1, (to - from) / dayMs);
}
