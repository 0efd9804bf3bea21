"use client";

import { Upload } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { usePermissions } from "@/components/product/permissions";
import type { ChosenFile } from "@/components/upload/chosen-files";
import { useDropTarget } from "@/components/upload/drop-target";

// Loaded when it is opened.
const DatasetUploadDialog = lazyDialog(
  async () => (await import("@/components/upload/dataset-upload-dialog")).DatasetUploadDialog,
);

/** A dataset that files are uploaded to. */
export interface UploadedDataset {
  owner_name: string;
  slug: string;
  name: string;
  is_sequence: boolean;
}

/** The button that opens the upload to a dataset, as files do that are dropped anywhere on its page. */
export function UploadToDataset({ dataset, label = "Upload" }: { dataset: UploadedDataset; label?: string }) {
  const refused = usePermissions().refusal();
  /** What the dialog begins with; null while it is closed. */
  const [files, setFiles] = useState<readonly ChosenFile[] | null>(null);
  useDropTarget({ text: `Drop to upload to ${dataset.name}`, refusal: refused, onFiles: setFiles });
  return (
    <>
      <Button icon={<Upload aria-hidden />} disabledReason={refused} onClick={() => setFiles([])}>
        {label}
      </Button>
      <Suspense>
        {files && <DatasetUploadDialog dataset={dataset} files={files} onClose={() => setFiles(null)} />}
      </Suspense>
    </>
  );
}
