"use client";

import { useQuery } from "@tanstack/react-query";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { formatBytes, plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { useTRPC } from "@/components/trpc/client";
import type { Bucket } from "./query";

const named = 5;

/** Asks before a bucket is disconnected, and lists what can then no longer be opened. */
export function DeleteStorage(props: { bucket: Bucket; onClose: () => void; onConfirm: () => Promise<void> }) {
  const { bucket, onClose, onConfirm } = props;
  const trpc = useTRPC();
  const usage = useQuery(trpc.storage.usage.queryOptions({ uid: bucket.uid })).data;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Disconnect ${bucket.name}?`}
      description="Nothing in the bucket is deleted, but Muster forgets the credentials. Connecting it again later does not bring back what was in it."
      action="Disconnect"
      typeToConfirm={bucket.name.trim()}
      onConfirm={onConfirm}
    >
      {!usage ? (
        <SkeletonText lines={2} />
      ) : usage.objects === 0 && usage.dataset_count === 0 ? (
        <p className="text-table text-muted">Nothing of Muster is in it.</p>
      ) : (
        <div className="text-table">
          <p className="font-medium">
            These files can no longer be opened ({plural(usage.objects, "object")}, {formatBytes(usage.bytes)}):
          </p>
          <ul className="mt-1 list-disc pl-5 text-muted">
            {usage.datasets.slice(0, named).map((dataset) => (
              <li key={dataset.uid} className="break-words">
                {plural(dataset.items, "item")} of {dataset.name}
              </li>
            ))}
            {usage.dataset_count > named && <li>{plural(usage.dataset_count - named, "more dataset")}</li>}
            {usage.recordings > 0 && <li>{plural(usage.recordings, "recording")}</li>}
            {usage.exports > 0 && <li>{plural(usage.exports, "export")}</li>}
          </ul>
        </div>
      )}
    </ConfirmDialog>
  );
}
