import { Duration } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import type { Tone } from "@/components/product/status";
import type { RecordingStatus } from "@/domain/recordings/recording-status";

/** How each state of a recording looks everywhere. */
export const recordingLooks: Readonly<Record<RecordingStatus, { tone: Tone; word: string }>> = {
  uploading: { tone: "neutral", word: "Uploading" },
  processing: { tone: "info", word: "Processing" },
  ready: { tone: "online", word: "Ready" },
  error: { tone: "error", word: "Error" },
  archived: { tone: "neutral", word: "Archived" },
};

/** How long it lasts, as far as that is known. */
export function RecordingDuration({ recording }: { recording: { duration_seconds: number } }) {
  return recording.duration_seconds > 0 ? <Duration ms={recording.duration_seconds * 1000} /> : <None />;
}
