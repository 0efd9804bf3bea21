/** A count as the axis shows it. */
export const formatCount = (count: number): string => count.toLocaleString("en-US");

/** Width in px of a digit of the axis (12 px Geist), and of the gap between label and bars. */
const digitWidth = 7;
const gap = 10;

/** The width in px that the labels of an axis up to these counts need: the uppermost may be the next round number. */
export function axisWidth(counts: readonly number[]): number {
  const max = Math.max(1, ...counts);
  const power = 10 ** Math.floor(Math.log10(max));
  const top = Math.ceil((max * 1.2) / power) * power;
  return Math.max(24, formatCount(top).length * digitWidth + gap);
}
