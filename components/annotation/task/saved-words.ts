import type { SendState } from "@/components/annotation/drafts/draft-sender";
import { plural } from "@/components/kit/format";

export interface SavedWords {
  text: string;
  tone: "quiet" | "warning" | "critical";
  /** Whether people should keep their work themselves. */
  isAtRisk: boolean;
}

/** Milliseconds for which changes wait until it is said since when, and until people are offered to act. */
const limits = { named: 10_000, risky: 60_000 };

interface Place {
  now: number;
  isOnline: boolean;
  /** Whether the browser stores changes. */
  isKept: boolean;
  /** Changes that the browser has not stored yet. */
  storing: number;
  /** A time of day as the person reads it. */
  toTime: (at: number) => string;
}

/** What is said of whether work is saved. */
export function describeSaved(
  { waiting, waitingSince, answer, detail }: SendState,
  { now, isOnline, isKept, storing, toTime }: Place,
): SavedWords {
  const quiet = (text: string): SavedWords => ({ text, tone: "quiet", isAtRisk: false });
  if (waiting === 0) return quiet(storing > 0 ? "Saving…" : "Saved");
  if (answer === "refused")
    return { text: `Not saved: ${detail ?? "the server refuses it"}`, tone: "critical", isAtRisk: true };
  const age = waitingSince === null ? 0 : now - waitingSince;
  const where = isKept ? "kept here" : "only in this page";
  const isAtRisk = age > limits.risky || (!isKept && age > limits.named);
  const tone = isAtRisk ? "critical" : "warning";
  if (!isOnline || answer === "unreachable")
    return { text: `Offline, ${plural(waiting, "change")} ${where}`, tone, isAtRisk };
  if (age > limits.named)
    return { text: `Not saved on the server since ${toTime(waitingSince ?? now)}, ${where}`, tone, isAtRisk };
  return quiet(isKept ? "Saved here, sending…" : "Sending…");
}
