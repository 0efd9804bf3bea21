"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCw, X } from "lucide-react";
import Link from "next/link";
import { useRef, useState } from "react";
import { Button } from "@/components/kit/button";
import { formatBytes, formatDuration, plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { Progress } from "@/components/kit/progress";
import { Truncate } from "@/components/kit/truncate";
import { usePermissions } from "@/components/product/permissions";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { cancelUpload, dismissUpload, resumeUpload, retryUpload } from "./upload-queue";
import { sentBytes, totalBytes, type Upload } from "./upload-store";

const shownFiles = 6;

/** One upload: progress, rate, problems, and once it is complete the state of its processing. */
export function UploadRow({ upload }: { upload: Upload }) {
  const client = useTRPCClient();
  const [total, sent] = [totalBytes(upload), sentBytes(upload)];
  const over = upload.state === "sent" || (upload.state === "failed" && upload.recordingUid === null);
  const mayDelete = usePermissions().refusal({ role: "admin" }) === undefined;
  const cancel = () =>
    void cancelUpload(client, upload.key, mayDelete).then(
      () => {
        if (!mayDelete && upload.recordingUid !== null)
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
            <span className="shrink-0 text-meta text-subtle">{upload.deviceName}</span>
          </p>
        </div>
        {upload.state === "failed" && upload.recordingUid !== null && (
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
      {upload.state === "sent" && upload.recordingUid ? (
        <Processing uid={upload.recordingUid} />
      ) : upload.state === "interrupted" ? (
        <Interrupted upload={upload} />
      ) : (
        <>
          <Progress value={total === 0 ? null : sent / total} label={`Upload of ${upload.name}`} />
          <p className="flex flex-wrap gap-x-3 text-meta text-muted tabular-nums" aria-live="off">
            <span>
              {formatBytes(sent)} of {formatBytes(total)}
            </span>
            {upload.rate !== null && upload.rate > 0 && (
              <>
                <span>{formatBytes(upload.rate)}/s</span>
                <span>{formatDuration(((total - sent) / upload.rate) * 1_000)} left</span>
              </>
            )}
            {upload.state === "waiting" && <span>Waiting</span>}
          </p>
          {upload.files.length > 1 && <Files upload={upload} />}
          {upload.problem && (
            <p
              role="alert"
              className={upload.state === "failed" ? "text-meta text-critical-text" : "text-meta text-warning-text"}
            >
              {upload.problem}
            </p>
          )}
        </>
      )}
    </li>
  );
}

function Files({ upload }: { upload: Upload }) {
  const open = upload.files.filter(({ state }) => state !== "done");
  const done = upload.files.length - open.length;
  return (
    <ul className="flex flex-col gap-0.5 text-meta text-muted">
      {open.slice(0, shownFiles).map((file) => (
        <li key={file.path} className="flex items-center gap-2">
          <Truncate text={file.path} className="flex-1" />
          <span className="tabular-nums">
            {file.state === "waiting"
              ? "Waiting"
              : `${file.size === 0 ? 100 : Math.floor((file.sent / file.size) * 100)} %`}
          </span>
        </li>
      ))}
      {(open.length > shownFiles || done > 0) && (
        <li className="text-subtle">
          {[
            open.length > shownFiles && `${open.length - shownFiles} more waiting`,
            done > 0 && `${plural(done, "file")} done`,
          ]
            .filter(Boolean)
            .join(", ")}
        </li>
      )}
    </ul>
  );
}

function Interrupted({ upload }: { upload: Upload }) {
  const client = useTRPCClient();
  const picker = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState(false);
  const names = upload.files.map(({ path }) => path);
  return (
    <>
      <p className="text-meta text-warning-text">
        Interrupted. Choose {names.length === 1 ? names[0] : `the same ${plural(names.length, "file")}`} again; what is
        there already is not sent twice.
      </p>
      {wrong && (
        <p role="alert" className="text-meta text-critical-text">
          These are not the files the upload started with: {names.slice(0, 3).join(", ")}
          {names.length > 3 && " …"} ({formatBytes(totalBytes(upload))}).
        </p>
      )}
      <div>
        <Button size="sm" onClick={() => picker.current?.click()}>
          Choose files
        </Button>
        <input
          ref={picker}
          type="file"
          multiple={names.length > 1}
          hidden
          aria-label={`Files of ${upload.name}`}
          onChange={({ currentTarget }) => {
            setWrong(!resumeUpload(client, upload.key, [...(currentTarget.files ?? [])]));
            currentTarget.value = "";
          }}
        />
      </div>
    </>
  );
}

/** The state of processing, updated until it is ready. */
function Processing({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const status = useQuery({
    ...trpc.recordings.upload.status.queryOptions({ uid }),
    refetchInterval: ({ state }) => (state.data?.recording_status === "processing" || !state.data ? 2_000 : false),
  }).data;
  const state = status?.recording_status;
  return (
    <div className="flex flex-wrap items-center gap-3 text-table" aria-live="polite">
      {state === "ready" || state === "archived" ? (
        <Status tone="online">Ready</Status>
      ) : state === "error" ? (
        <Status tone="error" strong>
          {status?.error_message?.split("\n")[0] ?? "It could not be processed."}
        </Status>
      ) : (
        <>
          <Status tone="info">
            Processing
            {status?.progress !== null && status?.progress !== undefined && (
              <span className="tabular-nums"> {Math.floor(status.progress * 100)} %</span>
            )}
          </Status>
          <Progress value={status?.progress ?? null} label="Processing" className="w-24" />
        </>
      )}
      {(state === "ready" || state === "archived") && (
        <Link href={recordingHref(uid)} className="rounded-control text-accent-text hover:underline">
          Open timeline
        </Link>
      )}
    </div>
  );
}
