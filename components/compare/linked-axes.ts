import { TimeAxis, type Span } from "@/components/plots/time-axis";

/** Where a recording begins, in nanoseconds since 1970, and how long it is, in seconds. */
export interface Extent {
  start: bigint;
  seconds: number;
}

/** Where an axis opens. */
export interface Opening {
  span: Span | null;
  playhead: number;
}

type View = Pick<TimeAxis, "span" | "hover" | "playhead">;

const moveSpan = ({ from, to }: Span, seconds: number): Span => ({ from: from + seconds, to: to + seconds });
const moveMoment = (at: number | null, seconds: number): number | null => (at === null ? null : at + seconds);

/**
 * The axes of two recordings on one clock. Each counts from the beginning of its own recording; both show the same range,
 * and their playheads and pointers are at the same moment. The first leads: playback moves its playhead.
 */
export class LinkedAxes {
  readonly a: TimeAxis;
  readonly b: TimeAxis;
  /** What the second was last given; whatever differs was changed there. */
  private given: View;
  private readonly listeners = new Set<() => void>();
  private frame = 0;

  /** `offset`: where the second recording begins, in seconds from the beginning of the first. */
  constructor(
    private readonly first: Extent,
    private readonly second: Extent,
    public offset: number,
    { span, playhead }: Opening,
  ) {
    const bounds = this.computeBounds();
    this.a = new TimeAxis(first.start, bounds, span ?? bounds);
    this.a.playhead = Math.min(Math.max(playhead, bounds.from), bounds.to);
    // Not by the calls that notify: pages are rendered on the server, too.
    this.b = new TimeAxis(second.start, moveSpan(bounds, -offset), moveSpan(this.a.span, -offset));
    this.b.playhead = this.a.playhead - offset;
    this.given = this.copy();
  }

  /** Keeps both together until the result is called. */
  connect = (): (() => void) => {
    const stops = [this.a.subscribe(this.lead), this.b.subscribe(this.follow)];
    this.lead();
    return () => {
      for (const stop of stops) stop();
    };
  };

  /** Calls a listener in the frame after the offset, or what can be shown, changed. */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  /** Moves the second recording. While it is dragged, what can be shown stays as it is. */
  moveTo(offset: number, { isDragged = false } = {}): void {
    const { bounds } = this.a;
    const isNew = offset !== this.offset;
    this.offset = offset;
    if (!isDragged) this.a.setBounds(this.computeBounds());
    if (!isNew && bounds === this.a.bounds) return;
    this.lead();
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      for (const listener of [...this.listeners]) listener();
    });
  }

  private computeBounds(): Span {
    return {
      from: Math.min(0, this.offset),
      to: Math.max(this.first.seconds, this.offset + this.second.seconds, 0.001),
    };
  }

  private copy(): View {
    const { span, hover, playhead } = this.b;
    return { span, hover, playhead };
  }

  private readonly lead = (): void => {
    const { a, b, offset } = this;
    b.setBounds(moveSpan(a.bounds, -offset));
    b.show(moveSpan(a.span, -offset));
    b.point(moveMoment(a.hover, -offset));
    if (a.playhead !== null) b.play(a.playhead - offset);
    this.given = this.copy();
  };

  private readonly follow = (): void => {
    const { a, b, given, offset } = this;
    const { span, hover, playhead } = this.copy();
    this.given = { span, hover, playhead };
    if (span.from !== given.span.from || span.to !== given.span.to) a.show(moveSpan(b.span, offset));
    if (hover !== given.hover) a.point(moveMoment(hover, offset));
    if (playhead !== null && playhead !== given.playhead) a.play(playhead + offset);
  };
}
