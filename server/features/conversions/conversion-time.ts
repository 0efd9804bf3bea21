import type { ConversionOptions } from "@/engine/formats/conversion";
import { RecordingError } from "@/engine/formats/recording-error";
import { TimeSlicer } from "@/engine/time-slicer";

/** The time that all conversions of a recording may take together; it grows with its files like the time for reading them. */
export class ConversionTime {
  private readonly allowedMs: number;
  private readonly slicer: TimeSlicer;
  private spentMs = 0;
  private since: number | null = null;

  /** `bytes`: of all files together. */
  constructor(
    files: number,
    bytes: number,
    signal: AbortSignal,
    private readonly now = () => performance.now(),
  ) {
    this.allowedMs = 50_000 + files * 1_000 + (bytes / 1e6) * 500;
    this.slicer = new TimeSlicer(signal);
  }

  /** Runs a part of the work that counts. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    this.since = this.now();
    try {
      return await work();
    } finally {
      this.spentMs += this.now() - this.since;
      this.since = null;
    }
  }

  /** What a converter does between slices of its work; it throws a RecordingError when the time is over. */
  readonly steps: Pick<ConversionOptions, "isDue" | "pause"> = {
    isDue: () => this.slicer.isOver,
    pause: async () => {
      const running = this.since === null ? 0 : this.now() - this.since;
      if (this.spentMs + running > this.allowedMs) {
        throw new RecordingError(
          `Converting took longer than the ${Math.round(this.allowedMs / 1000)} s allowed for its size.`,
        );
      }
      await this.slicer.yield();
    },
  };
}
