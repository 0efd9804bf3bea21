"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { plural } from "@/components/kit/format";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { readFailure } from "@/components/product/failure";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { ChosenFileList } from "@/components/upload/chosen-file-list";
import type { ChosenFile } from "@/components/upload/chosen-files";
import { DropZone } from "@/components/upload/drop-zone";
import { SendProgress } from "@/components/upload/send-progress";
import { maxImportBytes } from "@/domain/annotation-imports/choices";
import { EarlierImports } from "./earlier-imports";
import { type Choices, ImportFindings, listUndecided } from "./import-findings";
import { ImportOutcome } from "./import-outcome";
import { toWire } from "./label-choices";
import { type AnnotationImport, type FormatChoice, formatOptions, hasEnded, isAtWork } from "./query";
import { useSendFile } from "./use-send-file";

interface ImportDialogProps {
  project: { uid: string; name: string; labels: readonly { name: string; retired: boolean }[] };
  onClose: () => void;
}

/** Brings annotations of a file into a project: the file, what is in it, what becomes of it, and how it went. */
export function ImportDialog({ project, onClose }: ImportDialogProps) {
  const [uid, setUid] = useState<string | null>(null);
  return uid === null ? (
    <FileStep project={project} onClose={onClose} onOpen={setUid} />
  ) : (
    <ImportStep key={uid} project={project} uid={uid} onClose={onClose} onBack={() => setUid(null)} />
  );
}

const sendLabels = { sending: "Sending the file", checking: "Looking at the file" };

const description =
  "COCO, YOLO, CVAT, Label Studio, or a file that Muster exported. Nothing is changed before you have seen what is in it.";

function FileStep({ project, onClose, onOpen }: ImportDialogProps & { onOpen: (uid: string) => void }) {
  const [format, setFormat] = useState<FormatChoice>("guess");
  const [chosen, setChosen] = useState<ChosenFile | null>(null);
  const { send, state, problem, setProblem } = useSendFile(project.uid, onOpen);
  const take = (files: ChosenFile[]) => {
    const [file] = files;
    setProblem(files.length === 1 ? null : "Choose one file; several go into a zip.");
    setChosen(files.length === 1 && file ? file : null);
  };
  const missing =
    chosen === null
      ? "Choose a file first."
      : chosen.file.size === 0
        ? "The file is empty."
        : chosen.file.size > maxImportBytes
          ? `A file has at most ${maxImportBytes / 1024 ** 3} GiB.`
          : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Import annotations into ${project.name}`}
      description={description}
      size="lg"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={state !== null}
            disabledReason={missing}
            onClick={() => chosen && send(chosen.file, format)}
          >
            Look at the file
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DropZone
          text="Drop a file here"
          label="File of annotations"
          accept=".json,.xml,.zip,.yaml,.yml,.txt"
          onFiles={take}
        />
        {chosen && <ChosenFileList files={[chosen]} onLeaveOut={() => setChosen(null)} />}
        <Field label="Format">
          <Select options={formatOptions} value={format} onValueChange={setFormat} />
        </Field>
        <SendProgress state={state} problem={problem} labels={sendLabels} />
        <EarlierImports project={project.uid} onOpen={onOpen} />
      </div>
    </Dialog>
  );
}

type ImportStepProps = ImportDialogProps & { uid: string; onBack: () => void };

const failures = {
  start: "The import was not started",
  stop: "The import was not stopped",
  check: "The file was not looked at",
} as const;

/** An import whose file was sent, or should have been. */
function ImportStep({ project, uid, onClose, onBack }: ImportStepProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const query = useQuery(trpc.imports.get.queryOptions({ uid }));
  const [choices, setChoices] = useState<Choices>({ mode: "drafts", sizes: "refuse", labels: new Map() });
  const [busy, setBusy] = useState<keyof typeof failures | null>(null);
  const [isMissing, setMissing] = useState(false);
  const found = query.data;
  const findings = found?.status === "ready" ? found.findings : null;
  const act = async (kind: keyof typeof failures) => {
    setBusy(kind);
    try {
      if (kind === "stop") await client.imports.stop.mutate({ uid });
      else if (kind === "check") await client.imports.check.mutate({ uid });
      else await client.imports.start.mutate({ uid, ...choices, labels: toWire(choices.labels) });
      await queryClient.invalidateQueries(trpc.imports.pathFilter());
    } catch (error) {
      const isAboutFile = readFailure(error).issues.some(({ path }) => path[0] === "file");
      if (kind === "check" && isAboutFile) setMissing(true);
      else toast.failure(error, { title: failures[kind] });
    } finally {
      setBusy(null);
    }
  };
  const isUnderWay = found !== undefined && isAtWork(found.status);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={found ? toTitle(found) : "Import"}
      size="lg"
      footer={
        <>
          {found && !hasEnded(found.status) && (
            <Button busy={busy === "stop"} disabled={busy !== null} onClick={() => void act("stop")}>
              {isUnderWay ? "Stop" : "Discard"}
            </Button>
          )}
          {found && hasEnded(found.status) && <Button onClick={onBack}>Import another file</Button>}
          <Button onClick={onClose}>Close</Button>
          {found?.status === "uploading" && (
            <Button
              variant="primary"
              busy={busy === "check"}
              disabledReason={isMissing ? "Bytes of the file are missing." : undefined}
              onClick={() => void act("check")}
            >
              Look at the file
            </Button>
          )}
          {findings && (
            <Button
              variant="primary"
              busy={busy === "start"}
              disabledReason={refuseStart(findings, choices)}
              onClick={() => void act("start")}
            >
              Import {plural(findings.open, "picture")}
            </Button>
          )}
        </>
      }
    >
      {query.error && !found && (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} className="py-4" />
      )}
      {!found && !query.error && <SkeletonText lines={4} />}
      {found && findings && (
        <ImportFindings
          found={found}
          findings={findings}
          present={project.labels.filter(({ retired }) => !retired).map(({ name }) => name)}
          choices={choices}
          onChange={setChoices}
        />
      )}
      {found?.status === "uploading" && (
        <UnfinishedImport name={found.file_name} isMissing={isMissing} onBack={onBack} />
      )}
      {found && !findings && found.status !== "uploading" && <ImportOutcome found={found} />}
    </Dialog>
  );
}

/** An import that was left before anybody had its file looked at. `isMissing`: the server lacks bytes of it, which it said when it was asked. */
function UnfinishedImport({ name, isMissing, onBack }: { name: string; isMissing: boolean; onBack: () => void }) {
  if (!isMissing)
    return (
      <p role="status" className="text-table">
        The page was left before Muster looked at {name}. If all of it was sent, it can be looked at now.
      </p>
    );
  return (
    <div className="flex flex-col items-start gap-3">
      <p role="alert" className="text-table text-critical-text">
        {name} was not sent to its end.
      </p>
      <Button size="sm" onClick={onBack}>
        Choose the file again
      </Button>
    </div>
  );
}

function toTitle({ status, file_name: name }: AnnotationImport): string {
  if (status === "done") return `${name} was imported`;
  if (status === "failed") return `${name} was not imported`;
  if (status === "stopped") return `The import of ${name} was stopped`;
  return status === "ready" ? `What is in ${name}` : `Import of ${name}`;
}

function refuseStart(findings: NonNullable<AnnotationImport["findings"]>, { labels }: Choices): string | undefined {
  if (findings.open === 0)
    return findings.matched === 0
      ? "No picture of the file has an item in the project."
      : "Somebody has begun all of these tasks.";
  const [undecided] = listUndecided(findings, labels);
  return undecided === undefined ? undefined : `Choose what ${undecided} becomes.`;
}
