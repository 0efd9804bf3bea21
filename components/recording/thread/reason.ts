import { RecordingError } from "@/engine/formats/recording-error";
import { UnreadableMessage } from "@/engine/messages/reading";

/** Why a message is not shown, for people. */
export function toReason(error: unknown): string {
  if (error instanceof UnreadableMessage || error instanceof RecordingError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
