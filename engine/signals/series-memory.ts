/**
 * Memory in which one series after another is encoded: new memory for each, of which the system provides every page
 * anew, would take a fifth of the time.
 */
export class SeriesMemory {
  private memory = new Float64Array(0);
  private used = 0;

  /** Forgets what was taken for the series before. */
  reset(): void {
    this.used = 0;
  }

  /** Room for `length` numbers, with any values. */
  take(length: number): Float64Array {
    if (this.used + length > this.memory.length) {
      this.memory = new Float64Array(Math.max(length, 2 * this.memory.length));
      this.used = 0;
    }
    this.used += length;
    return this.memory.subarray(this.used - length, this.used);
  }
}
