"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { Button } from "@/components/kit/button";
import { Progress } from "@/components/kit/progress";
import { usePermissions } from "@/components/product/permissions";
import type { RecordingDetail } from "@/components/recording/session/query";
import { useReprocess } from "@/components/recordings/use-recording-actions";
import { useTRPC } from "@/components/trpc/client";

/** Shown in place of the timeline while the recording is processed, failed, or holds no message. */
export function RecordingState({ recording }: { recording: RecordingDetail }) {
  const trpc = useTRPC();
  const reprocess = useReprocess();
  const reason = usePermissions().refusal();
  const uploading = recording.status === "uploading";
  const upload = useQuery({
    ...trpc.recordings.upload.status.queryOptions({ uid: recording.uid }),
    enabled: uploading,
    retry: false,
    refetchInterval: uploading ? 5_000 : false,
  }).data;
  const failed = recording.error_message !== null;
  return (
    <div className="flex flex-col gap-4 border-t px-4 py-8 sm:px-6 [&>*]:max-w-140">
      {uploading ? (
        <>
          <div>
            <h2 className="text-section font-semibold">Waiting for its files</h2>
            <p className="mt-1 text-body text-muted">
              {upload && upload.total_files > 0
                ? `${upload.confirmed_files} of ${upload.total_files} files have arrived. The timeline appears once all have arrived and were read.`
                : "No file was announced yet. The timeline appears once all files have arrived and were read."}
            </p>
          </div>
          <Progress
            share={upload && upload.total_files > 0 ? upload.confirmed_files / upload.total_files : null}
            label="Files arrived"
            showLabel
          />
        </>
      ) : recording.status === "processing" ? (
        <>
          <div>
            <h2 className="text-section font-semibold">Processing</h2>
            <p className="mt-1 text-body text-muted">
              Its messages are being read for plots and rules. The timeline appears here when that is done.
            </p>
          </div>
          <Progress share={recording.progress} label={recording.stage ?? "Queued"} showLabel />
        </>
      ) : failed ? (
        <>
          <div role="alert">
            <h2 className="text-section font-semibold">This recording could not be processed</h2>
            <p className="mt-1 text-body break-words whitespace-pre-line text-muted first-letter:uppercase">
              {recording.error_message}
            </p>
          </div>
          <div>
            <Button
              variant="primary"
              icon={<RotateCw aria-hidden />}
              disabledReason={reason}
              onClick={() => void reprocess(recording.uid)}
            >
              Retry processing
            </Button>
          </div>
        </>
      ) : (
        <div>
          <h2 className="text-section font-semibold">No messages</h2>
          <p className="mt-1 text-body text-muted">
            {recording.format === null
              ? "Nothing of this recording was read before it was archived."
              : "The file is valid but holds no messages, so there is nothing to show."}
          </p>
        </div>
      )}
      {recording.warnings.length > 0 && (
        <ul className="list-disc pl-4 text-table text-muted">
          {recording.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
