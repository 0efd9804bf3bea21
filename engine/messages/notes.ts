/** "1 point", "2,000 points". */
export const countThings = (number: number, one: string, many: string): string =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** What could not be drawn of a message, counted by its reason. */
export class Notes {
  private readonly counts = new Map<string, { one: string; number: number }>();
  private readonly texts = new Set<string>();

  /** Counts things, named as one of them and as several: "point without a place", "points without a place". */
  count(one: string, many: string, number = 1): void {
    if (number > 0) this.counts.set(many, { one, number: (this.counts.get(many)?.number ?? 0) + number });
  }

  add(text: string): void {
    this.texts.add(text);
  }

  list(): string[] {
    return [...this.texts, ...[...this.counts].map(([many, { one, number }]) => countThings(number, one, many))];
  }
}
