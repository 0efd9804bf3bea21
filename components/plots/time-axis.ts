import { secondsFromNs } from "@/domain/time/nanoseconds";

/** Seconds from an origin: doubles keep them exact to well below a microsecond over months. */
export interface Span {
  from: number;
  to: number;
}

/** Nanoseconds since 1970 as seconds from `origin`. */
export const secondsFrom = (origin: bigint, ns: bigint): number => secondsFromNs(ns - origin);

/** The reverse of `secondsFrom`, to the nanosecond. */
export const nanosecondsAt = (origin: bigint, seconds: number): bigint => origin + BigInt(Math.round(seconds * 1e9));

/** The narrowest span that can be shown. */
const minSpan = 0.000_1;

/**
 * A span moved, and if need be narrowed, so that it lies inside `bounds` and is not shorter than a tenth of a
 * millisecond.
 */
export function clampSpan(span: Span, bounds: Span): Span {
  const room = bounds.to - bounds.from;
  const width = Math.min(Math.max(span.to - span.from, minSpan), Math.max(room, minSpan));
  const middle = (span.from + span.to) / 2;
  const from = Math.min(Math.max(middle - width / 2, bounds.from), Math.max(bounds.from, bounds.to - width));
  return { from, to: from + width };
}

/** A span made `factor` times as wide around a moment that keeps its place. */
export function zoomAround(span: Span, at: number, factor: number, bounds: Span): Span {
  const room = bounds.to - bounds.from;
  const width = Math.min(Math.max((span.to - span.from) * factor, minSpan), Math.max(room, minSpan));
  const share = span.to > span.from ? (at - span.from) / (span.to - span.from) : 0.5;
  return clampSpan({ from: at - share * width, to: at - share * width + width }, bounds);
}

const steps = [1, 2, 5];
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/** The round step of time that leaves at most `max` marks within `width` seconds. */
export function tickStep(width: number, max: number): number {
  const minStep = width / Math.max(1, max);
  if (minStep >= 1) return clockSteps.find((step) => step >= minStep) ?? Math.ceil(minStep / 86_400) * 86_400;
  const power = 10 ** Math.floor(Math.log10(minStep));
  return (steps.find((step) => step * power >= minStep) ?? 10) * power;
}

type Listener = () => void;

/**
 * The time axis that everything on a page shares: what is visible, where the pointer and the playhead are. It changes
 * many times a second, so it lies outside React; components that draw subscribe and draw in the next frame.
 */
export class TimeAxis {
  span: Span;
  /** Where the pointer hovers; null when it is not on the axis. */
  hover: number | null = null;
  playhead: number | null = null;
  private readonly listeners = new Set<Listener>();
  private frame = 0;

  constructor(
    readonly origin: bigint,
    public bounds: Span,
    span: Span = bounds,
  ) {
    this.span = clampSpan(span, bounds);
  }

  subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  show(span: Span): void {
    const next = clampSpan(span, this.bounds);
    if (next.from === this.span.from && next.to === this.span.to) return;
    this.span = next;
    this.changed();
  }

  /** Changes what can be shown; an axis that shows all of it goes on doing so. */
  setBounds(bounds: Span): void {
    const { span, playhead } = this;
    const showsAll = span.from <= this.bounds.from && span.to >= this.bounds.to;
    if (bounds.from === this.bounds.from && bounds.to === this.bounds.to) return;
    this.bounds = bounds;
    this.span = clampSpan(showsAll ? bounds : span, bounds);
    if (playhead !== null) this.playhead = Math.min(Math.max(playhead, bounds.from), bounds.to);
    this.changed();
  }

  point(at: number | null): void {
    if (at === this.hover) return;
    this.hover = at;
    this.changed();
  }

  play(at: number): void {
    const next = Math.min(Math.max(at, this.bounds.from), this.bounds.to);
    if (next === this.playhead) return;
    this.playhead = next;
    this.changed();
  }

  zoom(factor: number, at = this.playhead ?? (this.span.from + this.span.to) / 2): void {
    const inside = at >= this.span.from && at <= this.span.to ? at : (this.span.from + this.span.to) / 2;
    this.show(zoomAround(this.span, inside, factor, this.bounds));
  }

  pan(seconds: number): void {
    this.show({ from: this.span.from + seconds, to: this.span.to + seconds });
  }

  ns(seconds: number): bigint {
    return nanosecondsAt(this.origin, seconds);
  }

  seconds(ns: bigint): number {
    return secondsFrom(this.origin, ns);
  }

  // Listeners are called once per frame, whatever changed in it.
  private changed(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      for (const listener of [...this.listeners]) listener();
    });
  }
}
