/** Has one tab of this browser work on something, whichever had it first or took it over. */
export class BrowserLock {
  private release: () => void = () => {};
  private waiting = new AbortController();
  private isOver = false;

  /** `onChange`: whether this tab has it; the next one gets it when the tab that has it ends. */
  constructor(
    private readonly name: string,
    private readonly onChange: (isHeld: boolean) => void,
  ) {}

  request(): void {
    // Pages without encryption have no locks. The lease decides there.
    if (!("locks" in navigator)) return this.onChange(true);
    void navigator.locks
      .request(this.name, { ifAvailable: true }, (lock) => {
        if (lock) return this.hold();
        if (this.isOver) return;
        this.onChange(false);
        this.wait();
      })
      .catch(() => this.lose());
  }

  /** Takes it from the tab that has it. */
  steal(): void {
    if (!("locks" in navigator)) return this.onChange(true);
    this.waiting.abort();
    void navigator.locks.request(this.name, { steal: true }, () => this.hold()).catch(() => this.lose());
  }

  private wait(): void {
    const { signal } = (this.waiting = new AbortController());
    void navigator.locks.request(this.name, { signal }, () => this.hold()).catch(() => !signal.aborted && this.lose());
  }

  private hold(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    this.onChange(true);
    return new Promise((resolve) => (this.release = resolve));
  }

  private lose(): void {
    if (this.isOver) return;
    this.onChange(false);
    this.wait();
  }

  end(): void {
    this.isOver = true;
    this.waiting.abort();
    this.release();
  }
}
