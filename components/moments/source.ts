import { formatNumber, plural } from "@/components/kit/format";
import type { Outputs } from "@/components/trpc/client";
import type { FrameKind } from "@/domain/moments/schema";

export type MomentTarget = Outputs["moments"]["targets"][number];
export type MomentPreview = Outputs["moments"]["preview"];

/** A range of one recording, and where it was found. */
export interface RangeSource {
  kind: "range";
  recordingId: string;
  from: bigint;
  to: bigint;
  /** What the handles reach; the recording may be shorter. */
  bounds: { from: bigint; to: bigint };
  /** What is shaded among the handles: when an alert triggered, how long an event lasted. */
  marked?: { from: bigint; to: bigint };
  alertId?: string;
  eventId?: string;
  ruleId?: string;
}

/** Many moments that are added together. */
export interface ManySource {
  kind: "many";
  of: { alerts: string[] } | { events: string[] } | { recordings: string[] } | { rule_id: string };
  /** "31 hits". */
  label: string;
}

export type MomentSource = RangeSource | ManySource;

export const rates = ["all", "5", "1", "first"] as const;
/** How many frames of each topic are taken. */
export type RateChoice = (typeof rates)[number];
export const rateLabels: Readonly<Record<RateChoice, string>> = {
  all: "All",
  "5": "5 Hz",
  "1": "1 Hz",
  first: "First only",
};

export const toRateInput = (rate: RateChoice): { every_ms: number; first: boolean } => ({
  every_ms: rate === "5" ? 200 : rate === "1" ? 1_000 : 0,
  first: rate === "first",
});

const around = 5_000_000_000n;
const reach = 30_000_000_000n;

/** Five seconds before and after a moment, or what it lasted. */
export function toRange(at: bigint, lasted = 0n): Pick<RangeSource, "from" | "to" | "bounds" | "marked"> {
  const end = at + lasted;
  return {
    from: at - around,
    to: end + around,
    bounds: { from: at - reach, to: end + reach },
    marked: { from: at, to: end },
  };
}

const absent: Readonly<Record<FrameKind, string>> = { image: "No camera recorded", points: "No lidar recorded" };

/** Why many moments bring nothing. */
function describeNothing(moments: number, { kinds = ["image"], clip = false }: WantedOfMany): string {
  if (moments === 0) return "There are no moments to add.";
  if (kinds.length === 0 && !clip) return "Choose what to add.";
  const [kind] = kinds;
  const reason =
    clip || kind === undefined
      ? "Nothing was recorded at"
      : kinds.length > 1
        ? "No camera and no lidar recorded"
        : absent[kind];
  return `${reason} ${moments === 1 ? "this moment" : "any of these moments"}, or the recording is gone.`;
}

interface WantedOfMany {
  /** By default pictures. */
  kinds?: readonly FrameKind[];
  clip?: boolean;
}

/** What adding many moments brings, in one line. */
export function describeMany(preview: Outputs["moments"]["previewMany"], wanted: WantedOfMany = {}): string {
  const { moments, empty, frames, present, refused, max_frames: most } = preview;
  if (refused === "too_many")
    return `About ${formatNumber(frames)} frames are too many: at most ${formatNumber(most)}. Choose a lower rate.`;
  if (frames === 0) return describeNothing(moments + empty, wanted);
  const missing = empty > 0 ? `; ${formatNumber(empty)} have nothing of it` : "";
  const known = present > 0 ? `; ${formatNumber(present)} are in it already` : "";
  return `About ${plural(frames, "frame")} of ${plural(moments, "moment")}${missing}${known}`;
}
