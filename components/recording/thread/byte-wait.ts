import type { ChunkReader } from "@/engine/formats/chunk-reader";

/** What the page learns while the playhead waits for bytes; null once they are there. */
export type WaitReport = {
  /** The rate of what arrived lately; null while nothing did. */
  bytesPerSecond: number | null;
  /** Whether it takes so long that the page says so. */
  isLong: boolean;
} | null;

/** Milliseconds after which the page says so, and between two reports. */
const reportMs = 250;
/** Milliseconds of what arrived that the speed is computed of. */
const rateMs = 3_000;
/** Seconds of wall time that are read before the playhead goes on, so that it does not stop again at once. */
const startSeconds = 0.5;
const maxStartBytes = 32 * 1024 * 1024;

/** Has the playhead wait while the bytes of its moment are late. */
export class ByteWait {
  /** The number of the moment waited for; another one makes it void. */
  private round = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private arrived: { at: number; bytes: number }[] = [];

  constructor(private readonly onReport: (report: WaitReport) => void) {}

  get isWaiting(): boolean {
    return this.timer !== undefined;
  }

  /** Counts bytes that arrived. */
  count(bytes: number): void {
    this.arrived.push({ at: performance.now(), bytes });
  }

  /** Begins to wait when what topics show at a moment is not there; waits for another moment when it did already. */
  check(chunks: ChunkReader, topics: readonly string[], moment: bigint, speed: number): void {
    if (chunks.isReady(topics, moment)) {
      if (this.isWaiting) this.end();
      return;
    }
    const round = ++this.round;
    if (!this.isWaiting) {
      this.onReport({ bytesPerSecond: null, isLong: false });
      this.timer = setInterval(() => this.onReport({ bytesPerSecond: this.measure(), isLong: true }), reportMs);
    }
    const end = moment + BigInt(Math.round(startSeconds * speed * 1e9));
    void Promise.all([
      chunks.makeReady(topics, moment),
      chunks.prefetch(topics, { start: moment, end }, maxStartBytes),
    ]).then(() => round === this.round && this.end());
  }

  /** Waits no longer. */
  end(): void {
    this.round += 1;
    if (!this.isWaiting) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.onReport(null);
  }

  private measure(): number | null {
    const now = performance.now();
    this.arrived = this.arrived.filter(({ at }) => now - at < rateMs);
    const bytes = this.arrived.reduce((sum, each) => sum + each.bytes, 0);
    return bytes > 0 ? bytes / (rateMs / 1000) : null;
  }
}
