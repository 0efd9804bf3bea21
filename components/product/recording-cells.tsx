import type { ReactNode } from "react";
import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import type { Tone } from "@/components/product/status";
import type { RecordingStatus } from "@/domain/recordings/recording-status";

/** How each state of a recording looks everywhere. */
export const recordingLooks: Readonly<Record<RecordingStatus, { tone: Tone; label: string }>> = {
  uploading: { tone: "neutral", label: "Uploading" },
  processing: { tone: "info", label: "Processing" },
  ready: { tone: "online", label: "Ready" },
  error: { tone: "error", label: "Error" },
  archived: { tone: "neutral", label: "Archived" },
};

interface RecordingDurationProps {
  recording: { duration_seconds: number };
  /** Shown while it is not known. */
  unknown?: ReactNode;
}

/** How long it lasts, as far as that is known. */
export function RecordingDuration({ recording, unknown = <None /> }: RecordingDurationProps) {
  return recording.duration_seconds > 0 ? <Duration ms={recording.duration_seconds * 1000} /> : unknown;
}
