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
