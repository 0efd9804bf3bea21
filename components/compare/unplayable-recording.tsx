import Link from "next/link";
import { recordingHref } from "@/components/product/recording-links";
import type { RecordingDetail } from "@/components/recording/session/query";
import type { Letter } from "./compared-letter";

/** Whether what a recording holds was read and can be shown; archived ones are as they were. */
export const isPlayable = ({ status, error_message, start_ns, message_count }: RecordingDetail): boolean =>
  (status === "ready" || (status === "archived" && error_message === null)) &&
  start_ns !== null &&
  Number(message_count) > 0;

function explain({ status, error_message, message_count }: RecordingDetail): string {
  if (status === "uploading") return "is still waiting for its files";
  if (status === "processing") return "is still being processed; the comparison appears here when that is done";
  if (error_message !== null) return "could not be processed";
  return Number(message_count) === 0 ? "holds no messages" : "cannot be shown";
}

/** Why a recording cannot be compared; nothing where it can. */
export function UnplayableRecording({ letter, recording }: { letter: Letter; recording: RecordingDetail }) {
  if (isPlayable(recording)) return null;
  return (
    <p className="text-body text-muted">
      Recording {letter} {explain(recording)}.{" "}
      <Link href={recordingHref(recording.uid)} className="text-accent-text underline underline-offset-2">
        Open it
      </Link>
    </p>
  );
}
