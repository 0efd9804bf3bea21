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

/** How long it lasts, as far as that is known. */
export function RecordingDuration({ recording }: { recording: { duration_seconds: number } }) {
  return recording.duration_seconds > 0 ? <Duration ms={recording.duration_seconds * 1000} /> : <None />;
}
