"use client";

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Archive, CloudUpload, Tag, Trash2, Upload } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { lazy, Suspense, useMemo, useState } from "react";
import { uploadCommand } from "@/components/devices/commands";
import { Button } from "@/components/kit/button";
import { useSelected } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import { FilterBar } from "@/components/kit/filter-bar";
import { useFilters } from "@/components/kit/filters";
import { plural } from "@/components/kit/format";
import { PageHeader } from "@/components/kit/page-header";
import { DataTable } from "@/components/list/data-table";
import { useFreshRows } from "@/components/list/fresh-rows";
import { NoMatches } from "@/components/list/no-matches";
import { useOrigin } from "@/components/product/origin";
import { recordingHref } from "@/components/product/recording-links";
import { useTRPC } from "@/components/trpc/client";
import { useUploads } from "@/components/upload/upload-queue";
import { SavedViews } from "@/components/views/saved-views";
import { listInput, nextPage, recordingTitle, type RecordingRow } from "./query";
import { recordingColumns } from "./recording-columns";
import { RecordingDrawer } from "./recording-drawer";
import { useRecordingFilters } from "./recording-filters";
import { useRecordingActions } from "./use-recording-actions";

// Fetched when it is opened first: most visits look at recordings and do not bring any.
const UploadDialog = lazy(async () => ({ default: (await import("@/components/upload/upload-dialog")).UploadDialog }));

/** Uploads and processing under way move without a change being announced for each step. */
const refreshMs = 5_000;
const isMoving = ({ status }: RecordingRow) => status === "uploading" || status === "processing";

/** Every recording of the organization, newest first, kept true while it is open. */
export function RecordingList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const [deviceId] = useQueryState("device_id", parseAsString);
  const definitions = useRecordingFilters(deviceId);
  const filters = useFilters(definitions, "search");
  const [selected, setSelected] = useSelected();
  const [upload, setUpload] = useQueryState("upload", parseAsString.withOptions({ history: "push" }));
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());

  const input = listInput(filters.values);
  const query = useInfiniteQuery({
    ...trpc.recordings.overview.infiniteQueryOptions(input, { getNextPageParam: nextPage }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.pages.some((page) => page.results.some(isMoving)) ? refreshMs : false),
  });
  const all = useMemo(() => query.data?.pages.flatMap((page) => page.results), [query.data]);
  const { rows, fresh } = useFreshRows(query.isPlaceholderData ? null : JSON.stringify(input), all, own);
  const actions = useRecordingActions((uids) => selected !== null && uids.includes(selected) && setSelected(null));
  const rowsOf = (uids: readonly string[]) => (all ?? []).filter(({ uid }) => uids.includes(uid));

  const uploadButton = (
    <Button variant="primary" icon={<Upload aria-hidden />} onClick={() => void setUpload("1")}>
      Upload recordings
    </Button>
  );
  const underWay = useUploads().filter(({ state }) => state !== "sent").length;
  return (
    <>
      <PageHeader
        title="Recordings"
        actions={
          <>
            {underWay > 0 && (
              <Button icon={<CloudUpload aria-hidden />} onClick={() => void setUpload("1")}>
                {plural(underWay, "upload")} under way
              </Button>
            )}
            {rows?.length === 0 && filters.count === 0 ? undefined : uploadButton}
          </>
        }
      />
      <DataTable
        id="recordings"
        label="Recordings"
        noun={["recording", "recordings"]}
        columns={recordingColumns}
        rows={rows}
        rowKey={(recording) => recording.uid}
        rowLabel={recordingTitle}
        href={(recording) => recordingHref(recording.uid)}
        selected={selected}
        onSelect={setSelected}
        rowMenu={(recording) => actions.menu(recording, { open: true })}
        bulkActions={(uids, clear) => (
          <>
            <Button icon={<Tag aria-hidden />} onClick={() => actions.askForTags(rowsOf(uids))}>
              Tag
            </Button>
            <Button icon={<Archive aria-hidden />} onClick={() => void actions.archive(uids).then(clear)}>
              Archive
            </Button>
            <Button
              variant="danger-quiet"
              icon={<Trash2 aria-hidden />}
              onClick={() => actions.askToDelete(rowsOf(uids))}
            >
              Delete
            </Button>
          </>
        )}
        toolbar={
          <>
            <FilterBar
              definitions={definitions}
              filters={filters}
              textKey="search"
              label="Filter recordings"
              placeholder="Filter by device, status, events, topic, tag or name"
            />
            <SavedViews screen="recordings" />
          </>
        }
        empty={
          filters.count > 0 ? (
            <NoMatches
              noun="recordings"
              definitions={definitions}
              filters={filters}
              probe={(values) => trpc.recordings.overview.queryOptions({ ...listInput(values), limit: 1 })}
            />
          ) : (
            <EmptyState
              kind="nothing-yet"
              title="No recordings yet"
              description="A recording is what a device logged: MCAP files or ROS 1 bags. It is indexed, every rule runs over it, and its timeline shows what happened when."
              action={uploadButton}
              curl={uploadCommand(origin)}
            />
          )
        }
        error={query.error}
        onRetry={() => void query.refetch()}
        fetching={query.isPlaceholderData}
        hasMore={query.hasNextPage}
        loadingMore={query.isFetchingNextPage}
        onLoadMore={() => void query.fetchNextPage()}
        fresh={fresh}
      />
      <RecordingDrawer
        uid={selected}
        row={all?.find(({ uid }) => uid === selected)}
        menu={actions.menu}
        onClose={() => setSelected(null)}
      />
      <Suspense>
        {upload === "1" && (
          <UploadDialog
            deviceId={deviceId}
            onClose={() => void setUpload(null)}
            onCreated={(uid) => setOwn((before) => new Set([...before, uid]))}
          />
        )}
      </Suspense>
      {actions.dialogs}
    </>
  );
}
