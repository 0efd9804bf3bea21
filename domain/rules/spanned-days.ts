const dayMs = 86_400_000;

/**
 * The days from when the first of some recordings began until the last ended, at least one: what hits a day are counted over
 * where no other time was chosen.
 */
export function spannedDays(spans: readonly { from: string; to: string }[]): number {
  const from = Math.min(...spans.map((span) => Date.parse(span.from)));
  const to = Math.max(...spans.map((span) => Date.parse(span.to)));
  return Math.max(1, (to - from) / dayMs);
}
