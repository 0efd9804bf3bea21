"use client";

import { RotateCw } from "lucide-react";
import { Button } from "@/components/kit/button";
import { usePermissions } from "@/components/product/permissions";
import { useReprocess } from "@/components/recordings/use-recording-actions";
import { processingNews } from "@/domain/recordings/processing-version";

/** Says of a recording that an earlier version processed what processing it again brings, and offers it. */
export function EarlierVersionNote({ uid }: { uid: string }) {
  const reprocess = useReprocess();
  const reason = usePermissions().refusal();
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-2 text-table text-muted">
      <span>An earlier version of Muster processed it. Processing it again brings {processingNews}.</span>
      <Button size="sm" icon={<RotateCw aria-hidden />} disabledReason={reason} onClick={() => void reprocess(uid)}>
        Process again
      </Button>
    </span>
  );
}
