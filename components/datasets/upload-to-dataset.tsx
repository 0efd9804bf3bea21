"use client";

import { Upload } from "lucide-react";
import { Suspense, useState } from "react";
import { Button } from "@/components/kit/button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { usePermissions } from "@/components/product/permissions";

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

/** The button that opens the upload to a dataset. */
export function UploadToDataset({ dataset, label = "Upload" }: { dataset: UploadedDataset; label?: string }) {
  const refused = usePermissions().refusal();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={<Upload aria-hidden />} disabledReason={refused} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Suspense>{open && <DatasetUploadDialog dataset={dataset} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
