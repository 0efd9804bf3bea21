import type { Severity } from "@/domain/severity";

/** A value to compare the field with, drawn as a dashed line. */
export interface Threshold {
  value: number;
  severity?: Severity;
  label?: string;
}

/** A span of time shaded behind the line: a rule's window, when its condition held, when it triggered. */
export interface Band {
  fromNs: bigint;
  toNs: bigint;
  kind: "pending" | "triggered" | "window";
  label?: string;
}

/** A single moment, as a line from top to bottom. */
export interface Mark {
  atNs: bigint;
  label: string;
  severity?: Severity;
}

/** Pixels left and right of where time is drawn; the same on every plot and lane, so that all lie below each other. */
export const gutter = { left: 56, right: 12 };

export interface SeriesPlotProps {
  recordingUid: string;
  topic: string;
  field: string;
  fromNs: bigint;
  toNs: bigint;
  /** Pixels; default 160. */
  height?: number;
  thresholds?: readonly Threshold[];
  bands?: readonly Band[];
  marks?: readonly Mark[];
  /** Lets the first threshold be dragged, or moved by the arrow keys. */
  onThresholdChange?: (value: number) => void;
  unit?: string;
}
