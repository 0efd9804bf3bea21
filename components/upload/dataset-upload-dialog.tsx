"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { formatBytes, plural } from "@/components/kit/format";
import { usePermissions } from "@/components/product/permissions";
import { useTRPCClient } from "@/components/trpc/client";
import { maxDatasetFiles } from "@/domain/datasets/upload-schema";
import type { ChosenFile } from "./chosen-files";
import { DropZone } from "./drop-zone";
import { startDatasetUpload } from "./upload-queue";
import { UploadRow } from "./upload-row";
import { useUploads } from "./upload-store";

export interface DatasetUploadDialogProps {
  dataset: { owner_name: string; slug: string; name: string; is_sequence: boolean };
  /** Those it begins with. */
  files: readonly ChosenFile[];
  onClose: () => void;
}

/** What an upload of these files is called: their folder, else the only file, else their number. */
function nameFiles(files: readonly ChosenFile[]): string {
  const folders = new Set(files.map(({ path }) => (path.includes("/") ? path.slice(0, path.indexOf("/")) : "")));
  const [folder] = folders;
  if (folders.size === 1 && folder) return folder;
  return files.length === 1 ? (files[0]?.file.name ?? "") : plural(files.length, "file");
}

/** Uploads files and folders to a dataset, and follows each upload until its files are read. */
export function DatasetUploadDialog({ dataset, files: given, onClose }: DatasetUploadDialogProps) {
  const client = useTRPCClient();
  const refused = usePermissions().refusal();
  const { owner_name: owner, slug, name: datasetName, is_sequence: isSequence } = dataset;
  const [files, setFiles] = useState(given);
  const uploads = useUploads().filter(
    ({ place }) => place.kind === "dataset" && place.owner === owner && place.slug === slug,
  );
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  const add = (added: readonly ChosenFile[]) =>
    setFiles((before) => [...new Map([...before, ...added].map((chosen) => [chosen.path, chosen])).values()]);
  const start = () => {
    startDatasetUpload(client, { owner, slug, datasetName }, nameFiles(files), files);
    setFiles([]);
  };
  const missing =
    files.length === 0
      ? "Choose files first."
      : files.length > maxDatasetFiles
        ? `An upload has at most ${maxDatasetFiles.toLocaleString("en")} files.`
        : undefined;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title={`Upload to ${datasetName}`}
      description="Uploads continue on every page while this tab is open, and go on after a reload when the folder is chosen again."
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="primary" disabledReason={refused ?? missing} onClick={start}>
            {files.length === 0 ? "Upload" : `Upload ${plural(files.length, "file")}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <DropZone
          text={
            isSequence
              ? "Drop folders of frames here: each folder is a sequence, folders in it are its views"
              : "Drop pictures, videos, point clouds, recordings or folders here"
          }
          label="Files to upload"
          accept=".jpg,.jpeg,.png,.webp,.mp4,.mov,.pcd,.ply,.mcap,.bag"
          onFiles={add}
        />
        {files.length > 0 && (
          <p className="flex items-center gap-3 text-table" aria-live="polite">
            <span className="min-w-0 truncate">
              {nameFiles(files)}: {plural(files.length, "file")}, {formatBytes(total)}
            </span>
            <Button size="sm" variant="ghost" onClick={() => setFiles([])}>
              Clear
            </Button>
          </p>
        )}
        {uploads.length > 0 && (
          <section>
            <h3 className="text-table font-semibold">Uploads</h3>
            <ul aria-label="Uploads of this dataset">
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
