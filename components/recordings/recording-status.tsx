"use client";

import { RotateCw } from "lucide-react";
import { IconButton } from "@/components/kit/icon-button";
import { Progress } from "@/components/kit/progress";
import { Truncate } from "@/components/kit/truncate";
import { usePermissions } from "@/components/product/permissions";
import { recordingLooks } from "@/components/product/recording-cells";
import { Status } from "@/components/product/status";
import type { RecordingRow } from "./query";
import { useReprocess } from "./use-recording-actions";

type Recording = Pick<RecordingRow, "uid" | "status" | "stage" | "progress" | "error_message" | "warnings" | "upload">;

/** How much of an upload the server has confirmed, 0 to 1; null before its files were named. */
const uploadShare = ({ upload }: Pick<RecordingRow, "upload">): number | null =>
  upload === null || upload.total_files === 0 ? null : upload.confirmed_files / upload.total_files;

const percent = (share: number): string => `${Math.floor(share * 100)} %`;

/** Labels of the stages of processing. */
const stageWord = (stage: string | null): string =>
  stage ? stage.charAt(0).toUpperCase() + stage.slice(1).replaceAll("_", " ") : "Processing";

/** What went wrong, or the first warning, in one line. */
function statusNote({ status, error_message: error, warnings }: Recording): string | undefined {
  return (status === "error" || (status === "archived" && error) ? error : warnings[0])?.split("\n")[0];
}

/** The same as `RecordingStatus` shows, as text for the width of its column. */
export const recordingStatusText = (recording: Recording): string =>
  `    ${recordingLooks[recording.status].label} ${statusNote(recording) ?? ""}`;

/** The state and what matters about it: how far it is, or the first line of the error with a retry button. */
export function RecordingStatus({ recording }: { recording: Recording }) {
  const { status, warnings } = recording;
  const { tone, label: statusLabel } = recordingLooks[status];
  if (status === "uploading" || status === "processing") {
    const share = status === "uploading" ? uploadShare(recording) : recording.progress;
    const label = status === "uploading" ? statusLabel : stageWord(recording.stage);
    return (
      <span className="flex min-w-0 items-center gap-2">
        <Status tone={tone} className="shrink-0">
          {label}
          {share !== null && <span className="tabular-nums"> {percent(share)}</span>}
        </Status>
        <Progress
          share={share}
          label={`${label} ${share === null ? "" : percent(share)}`}
          className="max-w-20 min-w-6 flex-1 max-sm:hidden"
        />
      </span>
    );
  }
  const note = statusNote(recording);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Status tone={warnings.length > 0 && status === "ready" ? "warning" : tone} className="shrink-0">
        {statusLabel}
        {status === "ready" && warnings.length > 0 && (
          <span className={note ? "sm:sr-only" : undefined}> with warnings</span>
        )}
      </Status>
      {note && <Truncate text={note} className="text-muted max-sm:hidden" />}
      {status === "error" && <Retry uid={recording.uid} />}
    </span>
  );
}

function Retry({ uid }: { uid: string }) {
  const reprocess = useReprocess();
  const reason = usePermissions().refusal();
  return (
    <IconButton
      label="Retry processing"
      disabledReason={reason}
      size="sm"
      icon={<RotateCw aria-hidden />}
      className="-my-1 ml-auto h-6 w-6 shrink-0 max-sm:hidden"
      onClick={(event) => {
        event.stopPropagation();
        void reprocess(uid);
      }}
    />
  );
}
