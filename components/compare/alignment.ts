import type { Option } from "@/components/kit/select";
import type { Outputs } from "@/components/trpc/client";
import type { Extent } from "./linked-axes";

type Anchors = Outputs["recordings"]["anchors"];

/** How two recordings are laid over each other. */
export interface Alignment {
  value: string;
  /** Where the second begins, in seconds from the beginning of the first. */
  offset: number;
  /** Why it is not as the address says. */
  note: string | null;
}

const seconds = (ns: bigint): number => Number(ns) / 1e9;

/** Whether some moment is in both. */
const overlaps = (a: Extent, b: Extent): boolean => {
  const start = seconds(b.start - a.start);
  return start <= a.seconds && start + b.seconds >= 0;
};

/** The alignment that an address names; that of the beginnings where the recordings do not have what it names. */
export function resolveAlignment(wanted: string | null, a: Extent, b: Extent, anchors: Anchors): Alignment {
  const atStart = (note: string | null): Alignment => ({ value: "start", offset: 0, note });
  if (wanted === null || wanted === "start") return atStart(null);
  if (wanted === "clock") {
    if (!overlaps(a, b)) return atStart("They were recorded at different times, so their beginnings are aligned.");
    return { value: "clock", offset: seconds(b.start - a.start), note: null };
  }
  const event = anchors.events.find(({ label }) => wanted === `event:${label}`);
  const alert = anchors.alerts.find(({ uid_a, uid_b }) => wanted === `alert:${uid_a}` || wanted === `alert:${uid_b}`);
  const anchor = event ?? alert;
  if (!anchor) return atStart("Not both have what the address names, so their beginnings are aligned.");
  const [first, second] = [seconds(BigInt(anchor.a) - a.start), seconds(BigInt(anchor.b) - b.start)];
  return { value: event ? `event:${event.label}` : `alert:${alert?.uid_a ?? ""}`, offset: first - second, note: null };
}

/** The alignments that two recordings offer. */
export function listAlignments(a: Extent, b: Extent, anchors: Anchors): Option[] {
  const together = overlaps(a, b);
  return [
    { value: "start", label: "Their beginnings" },
    {
      value: "clock",
      label: "The clock",
      disabled: !together,
      ...(!together && { hint: "They were recorded at different times" }),
    },
    ...anchors.events.map(({ label }) => ({ value: `event:${label}`, label: `First event: ${label}` })),
    ...anchors.alerts.map(({ uid_a, rule_name }) => ({ value: `alert:${uid_a}`, label: `First alert: ${rule_name}` })),
  ];
}
