"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { formatBytes, plural } from "@/components/kit/format";
import { useLatest } from "@/components/kit/latest";
import { RadioGroup } from "@/components/kit/radio-group";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import {
  getDb3Beside,
  readCompressions,
  readFormats,
  recordingEndings,
  refusalOfNames,
} from "@/domain/recordings/file-names";
import { ChosenFileList } from "./chosen-file-list";
import type { ChosenFile } from "./chosen-files";
import { DropZone } from "./drop-zone";
import { OwnerQuestion } from "./owner-question";
import { groupFiles, joinFiles, type RecordingGroup } from "./recording-groups";
import { startUploads } from "./upload-queue";
import { UploadRow } from "./upload-row";
import { useUploads } from "./upload-store";
import { useOwner } from "./use-owner";

export interface UploadDialogProps {
  /** The device the address names, chosen from the start. */
  deviceId: string | null;
  /** Those it begins with. */
  files?: readonly ChosenFile[];
  onClose: () => void;
  /** Called with each recording as it is created. */
  onCreated?: (uid: string) => void;
  /** Called when the only recording that was started here can be looked at. */
  onReadable: (uid: string) => void;
}

const toKey = ({ path, file }: ChosenFile): string => `${path} ${file.size} ${file.lastModified}`;
// SQLite leaves empty ones beside files that are whole; they cannot be uploaded, and nothing is missing without.
const isWanted = ({ path, file }: ChosenFile): boolean => file.size > 0 || getDb3Beside(path) === null;
const listPaths = ({ files }: RecordingGroup): string[] => files.map(({ path }) => path);
const isUnread = (group: RecordingGroup): boolean => refusalOfNames(listPaths(group)) !== null;

/** Uploads files of a device: choose them, say whose they are, and follow each until its recording is ready. */
export function UploadDialog({ deviceId, files: given = [], onClose, onCreated, onReadable }: UploadDialogProps) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const uploads = useUploads();
  const refused = usePermissions().refusal();
  const [files, setFiles] = useState<readonly ChosenFile[]>(() => given.filter(isWanted));
  const [together, setTogether] = useState(false);
  const [busy, setBusy] = useState(false);
  /** The upload whose recording opens by itself. */
  const [followed, setFollowed] = useState<string | null>(null);
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const empty = files.find(({ file }) => file.size === 0);

  const all = together ? joinFiles(files) : groupFiles(files);
  const unread = all.filter(isUnread);
  const groups = all.filter((group) => !unread.includes(group));
  const of = useOwner(groups, deviceId);
  const { owner } = of;

  const add = (chosen: ChosenFile[]) =>
    setFiles((before) => [
      ...new Map([...before, ...chosen.filter(isWanted)].map((file) => [toKey(file), file])).values(),
    ]);
  const start = async () => {
    if (!owner) return;
    setBusy(true);
    try {
      // Its token is shown where it is used; another is made then.
      const device = owner.kind === "known" ? owner : await client.devices.register.mutate({ name: owner.name });
      const wanted = groups.map((group) => ({ ...group, deviceId: device.uid, deviceName: owner.name }));
      const keys = startUploads(client, wanted.toReversed(), (uid) => onCreated?.(uid));
      setFollowed(keys.length === 1 ? (keys[0] ?? null) : null);
      setFiles([]);
      if (owner.kind === "new") {
        of.setChosen(device.uid);
        await queryClient.invalidateQueries(trpc.devices.pathFilter());
      }
    } catch (error) {
      toast.failure(error, { title: `${owner.name} was not registered` });
    } finally {
      setBusy(false);
    }
  };

  const missing =
    files.length === 0
      ? "Choose files first."
      : groups.length === 0
        ? "None of these files is read."
        : empty
          ? `${empty.path} is empty.`
          : owner
            ? undefined
            : "Choose the device that recorded them.";
  const place = uploads.find(({ key, state }) => key === followed && state === "sent")?.place;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title="Upload recordings"
      description="Uploads continue while this tab is open and resume after lost connections."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" busy={busy} disabledReason={refused ?? missing} onClick={() => void start()}>
            {describeUpload(owner?.kind === "new" ? owner.name : null, files.length === 0 ? 0 : groups.length)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DropZone
          text={`Drop files or folders here: ${readFormats}, also packed as ${readCompressions}`}
          label="Files to upload"
          accept={recordingEndings.join(",")}
          onFiles={add}
        />
        {files.length > 0 && (
          <ChosenFileList
            files={files}
            onLeaveOut={(file) => setFiles((before) => before.filter((each) => each !== file))}
          />
        )}
        {unread.length > 0 && (
          <p role="alert" className="text-table text-warning-text">
            {groups.length > 0 && `Left out: ${listNames(unread.map(({ files: [first] }) => first?.path ?? ""))}. `}
            {refusalOfNames(unread.flatMap(listPaths))}
          </p>
        )}
        {groups.length > 0 && <OwnerQuestion of={of} />}
        {files.length > 1 && (
          <Field group label={`${plural(files.length, "file")}, ${formatBytes(total)}`}>
            <RadioGroup
              aria-label="Which files belong together"
              value={together ? "together" : "each"}
              onValueChange={(next) => setTogether(next === "together")}
              options={[
                { value: "each", label: "One recording per file or rosbag2 folder" },
                {
                  value: "together",
                  label: "One recording from all files",
                  hint: "For a run that was split into several files",
                },
              ]}
            />
          </Field>
        )}
        {uploads.length > 0 && (
          <section>
            <h3 className="text-table font-semibold">Uploads</h3>
            <ul>
              {uploads.map((upload) => (
                <UploadRow key={upload.key} upload={upload} />
              ))}
            </ul>
          </section>
        )}
      </div>
      {place?.kind === "recording" && place.recordingUid !== null && (
        <OpenWhenReadable uid={place.recordingUid} onReadable={onReadable} />
      )}
    </Dialog>
  );
}

/** The first names, and how many more there are. */
function listNames(names: readonly string[]): string {
  const more = names.length - 3;
  return more > 0 ? `${names.slice(0, 3).join(", ")} and ${more} more` : names.join(", ");
}

/** What pressing the button does. */
function describeUpload(newDevice: string | null, count: number): string {
  const upload = count === 0 ? "Upload" : `Upload ${plural(count, "recording")}`;
  if (newDevice === null || count === 0) return upload;
  return `Register “${newDevice}” and ${count === 1 ? "upload" : upload.toLowerCase()}`;
}

/** Waits until a recording can be looked at. */
function OpenWhenReadable({ uid, onReadable }: { uid: string; onReadable: (uid: string) => void }) {
  const status = useQuery(useTRPC().recordings.upload.status.queryOptions({ uid })).data?.recording_status;
  const open = useLatest(onReadable);
  useEffect(() => {
    if (status === "ready") open(uid);
  }, [status, uid, open]);
  return null;
}
