/** Shows moments one after the other: of those that are asked for while one is shown, only the newest. */
export class NewestMoment<Moment> {
  private wanted: Moment | null = null;
  private isBusy = false;
  isClosed = false;

  /** `update` shows a moment; it may end early once `isPassed`. */
  constructor(private readonly update: (moment: Moment) => Promise<void>) {}

  /** Whether what is being shown is wanted no longer. */
  get isPassed(): boolean {
    return this.isClosed || this.wanted !== null;
  }

  /** Shows a moment; resolves when it, or one asked for later, is shown. */
  async show(moment: Moment): Promise<void> {
    this.wanted = moment;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.wanted !== null && !this.isClosed) {
        const next: Moment = this.wanted;
        this.wanted = null;
        await this.update(next);
      }
    } finally {
      this.isBusy = false;
    }
  }

  /** Has the moment that is being shown be shown again, unless another one was asked for. */
  repeat(moment: Moment): void {
    this.wanted ??= moment;
  }

  close(): void {
    this.isClosed = true;
  }
}
