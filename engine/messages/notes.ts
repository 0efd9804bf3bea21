/** What could not be drawn of a message, counted by its reason. */
export class Notes {
  private readonly counts = new Map<string, number>();
  private readonly texts = new Set<string>();

  /** Counts things, named in the plural: "points that are no numbers". */
  count(things: string, number = 1): void {
    if (number > 0) this.counts.set(things, (this.counts.get(things) ?? 0) + number);
  }

  add(text: string): void {
    this.texts.add(text);
  }

  list(): string[] {
    return [...this.texts, ...[...this.counts].map(([things, number]) => `${number.toLocaleString("en")} ${things}`)];
  }
}
