"use client";

import { Archive, CalendarDays, CloudUpload, Upload } from "lucide-react";
import { useRouter } from "next/navigation";
import { parseAsString, useQueryState } from "nuqs";
import { Suspense } from "react";
import { uploadCommand } from "@/components/devices/commands";
import { Button } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import { plural } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { lazyPart } from "@/components/kit/lazy-part";
import { leave } from "@/components/kit/leaving";
import { PageHeader } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrdering } from "@/components/list/use-ordering";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { BulkButtons } from "@/components/product/bulk-actions";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { recordingHref } from "@/components/product/recording-links";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { useUploads } from "@/components/upload/upload-store";
import { guideHref } from "@/domain/docs/guides";
import { readCompressions, readFormats } from "@/domain/recordings/file-names";
import { CompareButton } from "./compare-button";
import { listInput, ownOrdering, recordingTitle, type RecordingRow } from "./query";
import { recordingColumns } from "./recording-columns";
import { RecordingDrawer } from "./recording-drawer";
import { useRecordingFilters } from "./recording-filters";
import { useRecordingActions } from "./use-recording-actions";

// Loaded when it is first opened: most visits do not upload anything.
const UploadDialog = lazyDialog(async () => (await import("@/components/upload/upload-dialog")).UploadDialog);

const CoverageCalendar = lazyPart(async () => (await import("./coverage-calendar")).CoverageCalendar, {
  className: "h-40",
});

/** Progress of uploads and processing is not announced step by step. */
const refreshMs = 5_000;
const isMoving = ({ status }: RecordingRow) => status === "uploading" || status === "processing";

/** Every recording of the organization, the last recorded first, updated while it is open. */
export function RecordingList() {
  const trpc = useTRPC();
  const router = useRouter();
  const origin = useOrigin();
  const [deviceId] = useQueryState("device_id", parseAsString);
  const definitions = useRecordingFilters(deviceId);
  const [upload, setUpload] = useQueryState("upload", parseAsString.withOptions({ history: "push" }));
  const [calendar, setCalendar] = useQueryState("calendar", parseAsString.withOptions({ history: "push" }));
  const order = useOrdering(ownOrdering);
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) =>
      trpc.recordings.overview.infiniteQueryOptions(listInput({ ...values, ordering: order.ordering }), {
        ...nextPage,
        refetchInterval: ({ state }) =>
          state.data?.pages.some((page) => page.results.some(isMoving)) ? refreshMs : false,
      }),
    probe: (values) => trpc.recordings.overview.queryOptions({ ...listInput(values), limit: 1 }),
    holdsFresh: true,
  });
  const actions = useRecordingActions(list.deselect);
  const { refusal } = usePermissions();

  const uploadButton = (
    <Button
      variant="primary"
      icon={<Upload aria-hidden />}
      disabledReason={refusal()}
      onClick={() => void setUpload("1")}
    >
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
            {list.isEmpty ? undefined : uploadButton}
          </>
        }
      />
      {calendar !== null && (
        <Suspense fallback={<SkeletonText lines={4} className="h-40 border-y p-6" />}>
          <CoverageCalendar
            last={calendar}
            onLast={(date) => void setCalendar(date)}
            filters={list.filters}
            onClose={() => void setCalendar(null)}
          />
        </Suspense>
      )}
      <ListTable
        {...list.table}
        {...order}
        list={list}
        id="recordings"
        label="Recordings"
        noun={["recording", "recordings"]}
        columns={recordingColumns}
        rowLabel={recordingTitle}
        href={(recording) => recordingHref(recording.uid)}
        rowMenu={(recording) => actions.menu(recording, { open: true })}
        bulkActions={(uids, clear) => (
          <BulkButtons
            tagReason={refusal()}
            deleteReason={refusal({ role: "admin" })}
            onTag={() => actions.editTags(list.findRows(uids))}
            onDelete={() => actions.confirmDelete(list.findRows(uids))}
          >
            <CompareButton recordings={list.findRows(uids)} />
            <Button
              icon={<Archive aria-hidden />}
              disabledReason={refusal()}
              onClick={() => void actions.archive(uids).then(clear)}
            >
              Archive
            </Button>
            <AddToDataset
              getSource={() => ({
                kind: "many",
                of: { recordings: [...uids] },
                label: plural(uids.length, "recording"),
              })}
            />
          </BulkButtons>
        )}
        filterBar={{
          label: "Filter recordings",
          placeholder: "Filter by device, status, events, topic, tag or name",
        }}
        tools={
          <>
            <Button
              variant="ghost"
              icon={<CalendarDays aria-hidden />}
              aria-pressed={calendar !== null}
              onClick={() => void setCalendar(calendar === null ? "now" : null)}
            >
              Calendar
            </Button>
            <SavedViews screen="recordings" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No recordings yet"
            description={`A recording is what a device logged: ${readFormats}, also packed as ${readCompressions}. It is indexed, every rule runs over it, and its timeline shows what happened when. Drop files anywhere to upload them.`}
            action={uploadButton}
            curl={{ command: uploadCommand(origin), guide: guideHref("uploads") }}
          />
        }
      />
      <RecordingDrawer
        uid={list.selected}
        row={list.selectedRow}
        menu={actions.menu}
        onClose={() => list.select(null)}
      />
      <Suspense>
        {upload === "1" && (
          <UploadDialog
            deviceId={deviceId}
            onClose={() => void setUpload(null)}
            onCreated={(uid) => list.showOwn([uid])}
            onReadable={(uid) => leave(() => router.push(recordingHref(uid)))}
          />
        )}
      </Suspense>
      {actions.dialogs}
    </>
  );
}
