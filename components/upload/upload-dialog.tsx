"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Combobox } from "@/components/kit/combobox";
import { Dialog } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { formatBytes, plural } from "@/components/kit/format";
import { RadioGroup } from "@/components/kit/radio-group";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { getDb3Beside, recordingEndings } from "@/domain/recordings/file-names";
import { ChosenFileList } from "./chosen-file-list";
import type { ChosenFile } from "./chosen-files";
import { DropZone } from "./drop-zone";
import { groupFiles, joinFiles } from "./recording-groups";
import { startUploads } from "./upload-queue";
import { UploadRow } from "./upload-row";
import { useUploads } from "./upload-store";

export interface UploadDialogProps {
  /** The device the address names, chosen from the start. */
  deviceId: string | null;
  onClose: () => void;
  /** Called with each recording as it is created. */
  onCreated: (uid: string) => void;
}

const toKey = ({ path, file }: ChosenFile): string => `${path} ${file.size} ${file.lastModified}`;

/** Uploads files of a device: choose them, group them, and follow each until its recording is ready. */
export function UploadDialog({ deviceId, onClose, onCreated }: UploadDialogProps) {
  const client = useTRPCClient();
  const uploads = useUploads();
  const refused = usePermissions().refusal();
  const [device, setDevice] = useState<string | null>(deviceId);
  const devices = useDevices(device);
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [together, setTogether] = useState(false);
  const chosen = devices.options.find(({ value }) => value === device);
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const empty = files.filter(({ file }) => file.size === 0);

  const groups = together ? joinFiles(files) : groupFiles(files);

  const add = (chosenFiles: ChosenFile[]) => {
    // SQLite leaves empty ones beside files that are whole; they cannot be uploaded, and nothing is missing without.
    const added = chosenFiles.filter(({ path, file }) => file.size > 0 || getDb3Beside(path) === null);
    setFiles((before) => [...new Map([...before, ...added].map((file) => [toKey(file), file])).values()]);
  };
  const start = () => {
    if (!device || files.length === 0) return;
    const wanted = groups.map((group) => ({ ...group, deviceId: device, deviceName: chosen?.label ?? "" }));
    startUploads(client, wanted.reverse(), onCreated);
    setFiles([]);
  };

  const missing = !device
    ? "Choose the device that recorded them."
    : files.length === 0
      ? "Choose files first."
      : empty.length > 0
        ? `${empty[0]?.path} is empty.`
        : undefined;
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
          <Button variant="primary" disabledReason={refused ?? missing} onClick={start}>
            {files.length === 0 ? "Upload" : `Upload ${plural(groups.length, "recording")}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Device">
          <Combobox
            options={devices.options}
            value={device}
            onValueChange={setDevice}
            onSearch={devices.setSearch}
            loading={devices.loading}
            placeholder="Which device recorded them"
            emptyText="No device with that name"
          />
        </Field>
        <DropZone
          text="Drop MCAP files, ROS bags, PX4 logs or folders here"
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
    </Dialog>
  );
}

/** Devices by what was typed, with the chosen one among them. */
function useDevices(chosen: string | null) {
  const trpc = useTRPC();
  const [search, setSearch] = useState("");
  const list = useQuery({
    ...trpc.devices.list.queryOptions({ limit: 50, ...(search && { search }) }),
    placeholderData: (before) => before,
  });
  const found = list.data?.results ?? [];
  const missing = chosen !== null && list.data !== undefined && !found.some(({ uid }) => uid === chosen);
  const own = useQuery({
    ...trpc.devices.get.queryOptions({ uid: chosen ?? "" }),
    enabled: missing,
    retry: false,
  }).data;
  const options = [...(missing && own ? [own] : []), ...found].map(({ uid, name, type }) => ({
    value: uid,
    label: name,
    hint: type === "unknown" ? undefined : type,
  }));
  return { options, setSearch, loading: list.isFetching };
}
