/** Processor time of this process in seconds, its threads included. */
function readSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/**
 * What pieces of work take of the processor when several of them run in one process: those that run at the same time
 * share equally, so that their sum is what the process took.
 */
export class ProcessorTime {
  private running = 0;
  /** What a piece of work that ran from the beginning has taken. */
  private share = 0;
  private readAt = 0;

  constructor(private readonly read: () => number = readSeconds) {}

  /** Begins a piece of work; the returned function ends it and returns what it took, in seconds. */
  start(): () => number {
    this.advance();
    this.running += 1;
    const before = this.share;
    return () => {
      this.advance();
      this.running -= 1;
      return this.share - before;
    };
  }

  private advance(): void {
    const now = this.read();
    if (this.running > 0) this.share += (now - this.readAt) / this.running;
    this.readAt = now;
  }
}
