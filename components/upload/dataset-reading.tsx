"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { plural } from "@/components/kit/format";
import { Progress } from "@/components/kit/progress";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import type { UploadProgress } from "./upload-files";
import type { DatasetPlace } from "./upload-store";

const linkStyle = "rounded-control text-accent-text hover:underline";

/** How far the files of an upload are read, until all of them are; then what became of them. */
export function DatasetReading({ place, progress }: { place: DatasetPlace; progress: UploadProgress }) {
  const trpc = useTRPC();
  const { owner, slug, sessions } = place;
  const reading = useQuery({
    ...trpc.datasets.upload.reading.queryOptions({ owner, slug, sessions: [...sessions] }),
    enabled: sessions.length > 0,
    refetchInterval: ({ state }) => (state.data && state.data.pending_items === 0 ? false : 2_000),
  }).data;
  const href = `/datasets/${owner}/${slug}`;
  const skipped = progress.refusedFiles > 0 ? `${plural(progress.refusedFiles, "file")} not sent` : null;
  if (sessions.length > 0 && (!reading || reading.pending_items > 0)) {
    const total = reading?.total_files ?? progress.fileCount;
    const read = reading ? total - reading.pending_items : 0;
    return (
      <div className="flex flex-wrap items-center gap-3 text-table" aria-live="off">
        <Status tone="info">
          <span className="tabular-nums">
            {read.toLocaleString("en")} of {total.toLocaleString("en")} read
          </span>
        </Status>
        <Progress share={total === 0 ? null : read / total} label="Reading" className="w-24" />
      </div>
    );
  }
  const failed = reading?.failed_files ?? 0;
  const items = (reading?.total_files ?? 0) - failed;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table" aria-live="polite">
      <Status tone={failed > 0 ? "warning" : "online"}>
        {[plural(items, "item"), failed > 0 ? `${plural(failed, "file")} refused` : null, skipped]
          .filter((part) => part !== null)
          .join(", ")}
      </Status>
      <Link href={href} className={linkStyle}>
        Open the dataset
      </Link>
      {failed > 0 && (
        <Link href={`${href}?tab=uploads`} className={linkStyle}>
          See why
        </Link>
      )}
    </div>
  );
}
