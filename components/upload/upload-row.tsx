"use client";

import { RotateCw, X } from "lucide-react";
import { Button } from "@/components/kit/button";
import { formatBytes, formatDuration, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Progress } from "@/components/kit/progress";
import { Truncate } from "@/components/kit/truncate";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import { DatasetReading } from "./dataset-reading";
import { InterruptedUpload } from "./interrupted-upload";
import { RecordingProcessing } from "./recording-processing";
import { TakenNames } from "./taken-names";
import { cancelUpload, dismissUpload, retryUpload } from "./upload-queue";
import type { Upload } from "./upload-store";

/** Whether an upload left something on the server that a retry goes on with. */
const canRetry = ({ state, place }: Upload): boolean =>
  state === "failed" && (place.kind === "dataset" || place.recordingUid !== null);

/** One upload: progress, rate, problems, and once it is complete the state of its processing. */
export function UploadRow({ upload }: { upload: Upload }) {
  const client = useTRPCClient();
  const { place, state, progress } = upload;
  const over = state === "sent" || (state === "failed" && !canRetry(upload));
  const mayDelete = usePermissions().refusal({ role: "admin" }) === undefined;
  const cancel = () =>
    void cancelUpload(client, upload.key, mayDelete).then(
      () => {
        if (place.kind === "dataset")
          toast.success("Upload canceled", { description: "What was complete stays in the dataset." });
        else if (!mayDelete && place.recordingUid !== null)
          toast.success("Upload canceled", { description: "Its recording is archived. Only admins can delete it." });
      },
      (error: unknown) => toast.failure(error, { title: "The recording was not removed" }),
    );
  return (
    <li className="flex flex-col gap-1.5 border-b py-3 last:border-b-0">
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="flex min-w-0 items-baseline gap-2 text-table">
            <Truncate text={upload.name} className="font-medium" />
            <span className="shrink-0 text-meta text-subtle">
              {place.kind === "dataset" ? place.datasetName : place.deviceName}
            </span>
          </p>
        </div>
        {canRetry(upload) && (
          <Button size="sm" icon={<RotateCw aria-hidden />} onClick={() => retryUpload(client, upload.key)}>
            Retry
          </Button>
        )}
        {over ? (
          <IconButton
            label={`Dismiss ${upload.name}`}
            size="sm"
            icon={<X aria-hidden />}
            onClick={() => dismissUpload(upload.key)}
          />
        ) : (
          <IconButton label={`Cancel upload of ${upload.name}`} size="sm" icon={<X aria-hidden />} onClick={cancel} />
        )}
      </div>
      {state === "sent" && place.kind === "dataset" && <DatasetReading place={place} progress={progress} />}
      {state === "sent" && place.kind === "recording" && place.recordingUid !== null && (
        <RecordingProcessing uid={place.recordingUid} />
      )}
      {state === "interrupted" && <InterruptedUpload upload={upload} />}
      {state === "asking" && upload.taken && <TakenNames upload={upload} taken={upload.taken} />}
      {state !== "sent" && state !== "interrupted" && state !== "asking" && <Sending upload={upload} />}
    </li>
  );
}

function Sending({ upload }: { upload: Upload }) {
  const { progress, rate, state, problem } = upload;
  const { totalBytes: total, sentBytes: sent, fileCount, doneFiles } = progress;
  return (
    <>
      <Progress share={total === 0 ? null : sent / total} label={`Upload of ${upload.name}`} />
      <p className="flex flex-wrap gap-x-3 text-meta text-muted tabular-nums" aria-live="off">
        <span>
          {formatBytes(sent)} of {formatBytes(total)}
        </span>
        {fileCount > 6 && (
          <span>
            {doneFiles.toLocaleString("en")} of {plural(fileCount, "file")}
          </span>
        )}
        {rate !== null && rate > 0 && (
          <>
            <span>{formatBytes(rate)}/s</span>
            <span>{formatDuration(((total - sent) / rate) * 1_000)} left</span>
          </>
        )}
        {state === "waiting" && <span>Waiting</span>}
      </p>
      {fileCount > 1 && <Files upload={upload} />}
      {problem && (
        <p role="alert" className={state === "failed" ? "text-meta text-critical-text" : "text-meta text-warning-text"}>
          {problem}
        </p>
      )}
    </>
  );
}

function Files({ upload: { progress } }: { upload: Upload }) {
  const { open, fileCount, doneFiles, refused, refusedFiles } = progress;
  const waiting = fileCount - doneFiles - open.length;
  return (
    <ul className="flex flex-col gap-0.5 text-meta text-muted">
      {open.map((file) => (
        <li key={file.path} className="flex items-center gap-2">
          <Truncate text={file.path} className="flex-1" />
          <span className="tabular-nums">
            {file.state === "waiting"
              ? "Waiting"
              : `${file.size === 0 ? 100 : Math.floor((file.sent / file.size) * 100)} %`}
          </span>
        </li>
      ))}
      {(waiting > 0 || doneFiles > 0) && (
        <li className="text-subtle">
          {[waiting > 0 && `${waiting} more waiting`, doneFiles > 0 && `${plural(doneFiles, "file")} done`]
            .filter(Boolean)
            .join(", ")}
        </li>
      )}
      {refused.slice(0, 3).map(({ path, reason }) => (
        <li key={path} className="text-warning-text">
          {path}: {reason}
        </li>
      ))}
      {refusedFiles > 3 && <li className="text-warning-text">{refusedFiles - 3} more were not sent</li>}
    </ul>
  );
}
