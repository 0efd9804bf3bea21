"use client";

import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Disclosure } from "@/components/kit/disclosure";
import { EmptyState } from "@/components/kit/empty-state";
import { formatBytes, plural } from "@/components/kit/format";
import { saveFile } from "@/components/kit/save-file";
import { Skeleton } from "@/components/kit/skeleton";
import { InstantTime } from "@/components/kit/time";
import { nextPage } from "@/components/list/list-input";
import { useListQuery } from "@/components/list/use-list-query";
import { ErrorState } from "@/components/product/error-state";
import { Status } from "@/components/product/status";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { csvLine } from "@/domain/csv";
import { UploadToDataset, type UploadedDataset } from "./upload-to-dataset";

type Session = Outputs["datasets"]["uploads"]["results"][number];

interface UploadsTabProps {
  dataset: UploadedDataset;
}

const maxShownFiles = 200;

/** The uploads of a dataset, and the files that did not become items, with the reasons. */
export function UploadsTab({ dataset }: UploadsTabProps) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const { owner_name: owner, slug } = dataset;
  const { query, rows, table } = useListQuery({
    ...trpc.datasets.uploads.infiniteQueryOptions({ owner, slug, limit: 20 }, nextPage),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ results }) => results.some(({ pending_items: pending }) => pending > 0))
        ? 3_000
        : false,
  });
  const saveCsv = async () => {
    try {
      const lines = [csvLine(["name", "reason", "upload"])];
      let cursor: string | undefined;
      do {
        const page = await client.datasets.uploads.query({ owner, slug, limit: 1_000, cursor });
        for (const session of page.results) {
          if (session.failed_files === 0) continue;
          const files = await client.datasets.failedFiles.query({ owner, slug, session_uid: session.uid });
          for (const { path, error } of files) lines.push(csvLine([path, error, session.created_at]));
        }
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      saveFile({ name: `${slug}-refused.csv`, content: lines.join(""), type: "text/csv" });
    } catch (error) {
      toast.failure(error, { title: "The refused files were not saved" });
    }
  };
  const hasFailed = rows?.some(({ failed_files: failed }) => failed > 0) ?? false;
  return (
    <div className="flex flex-col gap-4 overflow-y-auto p-4 sm:px-6">
      {query.error && !rows ? (
        <ErrorState error={query.error} title="Uploads could not be loaded" onRetry={table.onRetry} />
      ) : !rows ? (
        <Skeleton className="h-24" />
      ) : rows.length === 0 ? (
        <EmptyState
          kind="nothing-yet"
          title="No uploads yet"
          description="Each upload of files is listed here, with the files that could not be read and why."
          action={<UploadToDataset dataset={dataset} />}
        />
      ) : (
        <>
          {hasFailed && (
            <Button className="self-start" icon={<Download aria-hidden />} onClick={() => void saveCsv()}>
              Refused files as CSV
            </Button>
          )}
          <ul aria-label="Uploads" className="flex flex-col">
            {rows.map((session) => (
              <SessionRow key={session.uid} session={session} dataset={dataset} />
            ))}
          </ul>
          {table.hasMore && (
            <Button className="self-start" busy={table.loadingMore} onClick={table.onLoadMore}>
              Load more
            </Button>
          )}
        </>
      )}
    </div>
  );
}

function SessionState({ session }: { session: Session }) {
  const { status, pending_items: pending, total_files: total, confirmed_files: confirmed } = session;
  if (status === "expired") return <Status tone="offline">Given up after seven days</Status>;
  if (status === "active")
    return (
      <Status tone="info">
        {confirmed.toLocaleString("en")} of {plural(total, "file")} uploaded
      </Status>
    );
  if (pending > 0)
    return (
      <Status tone="info">
        {(total - pending).toLocaleString("en")} of {total.toLocaleString("en")} read
      </Status>
    );
  return session.failed_files > 0 ? (
    <Status tone="warning">
      {plural(total - session.failed_files, "item")}, {plural(session.failed_files, "file")} refused
    </Status>
  ) : (
    <Status tone="online">{plural(total, "item")}</Status>
  );
}

interface SessionRowProps extends UploadsTabProps {
  session: Session;
}

function SessionRow({ session, dataset }: SessionRowProps) {
  return (
    <li className="border-b py-3 last:border-b-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-table">
        <InstantTime value={session.created_at} />
        <SessionState session={session} />
        <span className="text-meta text-subtle tabular-nums">{formatBytes(Number(session.total_bytes))}</span>
      </div>
      {session.failed_files > 0 && <FailedFiles session={session} dataset={dataset} />}
    </li>
  );
}

/** The refused files of one session: open from the start, so that nobody has to look for them. */
function FailedFiles({ session, dataset }: SessionRowProps) {
  const trpc = useTRPC();
  const [open, setOpen] = useState(true);
  const { owner_name: owner, slug } = dataset;
  const files = useQuery({
    ...trpc.datasets.failedFiles.queryOptions({ owner, slug, session_uid: session.uid }),
    enabled: open,
  });
  const shown = files.data?.slice(0, maxShownFiles) ?? [];
  return (
    <Disclosure
      label={`${plural(session.failed_files, "file")} refused`}
      open={open}
      onOpenChange={setOpen}
      className="mt-2"
    >
      {files.error ? (
        <ErrorState error={files.error} title="The files could not be loaded" onRetry={() => void files.refetch()} />
      ) : (
        <table className="mt-1 w-full text-table" aria-label="Refused files">
          <thead className="text-left text-meta text-subtle">
            <tr>
              <th scope="col" className="py-1 pr-4 font-normal">
                Name
              </th>
              <th scope="col" className="py-1 font-normal">
                Reason
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ path, error }) => (
              <tr key={path} className="border-t align-top">
                <td className="py-1.5 pr-4 font-mono text-meta break-all">{path}</td>
                <td className="py-1.5">{error}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="mt-2 flex flex-wrap items-center gap-3 text-meta text-subtle">
        {(files.data?.length ?? 0) > maxShownFiles && <span>The first {maxShownFiles}; the CSV has all.</span>}
        <UploadToDataset dataset={dataset} label="Retry with other files" />
      </p>
    </Disclosure>
  );
}
