"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Archive, ArchiveRestore, Ellipsis, Scissors, TriangleAlert } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { Bytes } from "@/components/kit/measure";
import { Menu } from "@/components/kit/menu";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { InstantTime } from "@/components/kit/time";
import { DeviceLink } from "@/components/product/device-link";
import { EditableTags } from "@/components/product/editable-tags";
import { PageFailure, isUnavailable } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { RecordingDuration, recordingLooks } from "@/components/product/recording-cells";
import { Status } from "@/components/product/status";
import type { RecordingDetail } from "@/components/recording/session/query";
import { recordingTitle } from "@/components/recordings/query";
import { useRecordingActions } from "@/components/recordings/use-recording-actions";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { EarlierVersionNote } from "./earlier-version-note";
import { RecordingState } from "./recording-state";
import { ShareMenu } from "./share-menu";
import { TimelineView } from "./timeline-view";
import { useViewerItems } from "./viewer-items";

const ShareDialog = lazyDialog(async () => (await import("./share-dialog")).ShareDialog);

const list = { label: "Recordings", href: "/recordings" };

/**
 * One recording: what it is, and everything in it on one time axis. The timeline appears automatically after
 * processing.
 */
export function RecordingPage({ uid, panels }: { uid: string; panels: ReactNode }) {
  const trpc = useTRPC();
  const router = useRouter();
  // Once deleted here it is not requested again while the list loads.
  const [deleted, setDeleted] = useState(false);
  const [exporting, setExporting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const query = useQuery({
    ...trpc.recordings.get.queryOptions({ uid }),
    enabled: !deleted,
    refetchInterval: ({ state }) =>
      state.data?.status === "processing" || state.data?.status === "uploading" ? 5_000 : false,
  });
  const actions = useRecordingActions(() => {
    setDeleted(true);
    router.push("/recordings");
  });
  const reason = usePermissions().refusal();
  const recording = query.data;
  const viewers = useViewerItems(uid, recording !== undefined && !deleted);
  const title = recording ? recordingTitle(recording) : undefined;
  usePageTitle(title);
  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={title}
        noun="recording"
        deletedMessage="This recording was deleted while you were looking at it. Its alerts are kept."
        list={list}
        query={query}
      />
    );
  }
  if (!recording || !title) return null;
  const { tone, label } = recordingLooks[recording.status];
  const archived = recording.status === "archived";
  const playable =
    (recording.status === "ready" || (archived && recording.error_message === null)) &&
    recording.start_ns !== null &&
    Number(recording.message_count) > 0;
  return (
    // Where its parts are below each other, the head scrolls away with them.
    <div className="flex min-h-0 flex-1 flex-col max-lg:overflow-y-auto">
      <PageHeader
        title={title}
        trail={[list]}
        isOneLine
        className="pb-2"
        status={
          <>
            <Status tone={tone}>
              {label}
              {recording.status === "processing" &&
                recording.progress !== null &&
                ` ${Math.floor(recording.progress * 100)} %`}
            </Status>
            {recording.warnings.length > 0 && (
              <span
                className="inline-flex max-w-160 min-w-0 items-center gap-1.5 max-sm:items-start text-table text-warning-text"
                title={recording.warnings.join("\n")}
              >
                <TriangleAlert aria-hidden className="size-3.5 shrink-0 max-sm:mt-1" />
                {/* A tooltip has the rest where there is a pointer. */}
                <span className="min-w-0 sm:inline-flex">
                  <span className="max-sm:wrap-anywhere sm:truncate">{recording.warnings[0]}</span>
                  {recording.warnings.length > 1 && (
                    <span className="shrink-0 whitespace-pre"> ({recording.warnings.length - 1} more)</span>
                  )}
                </span>
              </span>
            )}
            {recording.processed_by_earlier && playable && <EarlierVersionNote uid={uid} />}
          </>
        }
        meta={
          <>
            <DeviceLink of={recording} className="underline underline-offset-2" />
            {recording.start_ns !== null && Number(recording.message_count) > 0 && (
              <span className="inline-flex flex-wrap gap-x-1.5 xl:flex-nowrap">
                <InstantTime value={recording.started_at} />
                <span aria-label="to">→</span>
                <InstantTime value={recording.ended_at} />
              </span>
            )}
            <RecordingDuration recording={recording} unknown={null} />
            <Bytes value={Number(recording.size_bytes)} />
            <RecordingTags recording={recording} title={title} />
          </>
        }
        actions={
          <>
            <ShareMenu
              reason={reason ?? (playable ? undefined : "It holds nothing that could be shown yet.")}
              onShare={() => setSharing(true)}
            />
            {archived ? (
              <Button
                className="max-sm:hidden"
                icon={<ArchiveRestore aria-hidden />}
                disabledReason={reason}
                onClick={() => void actions.restore([uid])}
              >
                Restore
              </Button>
            ) : (
              <Button
                className="max-sm:hidden"
                icon={<Archive aria-hidden />}
                disabledReason={reason}
                onClick={() => void actions.archive([uid])}
              >
                Archive
              </Button>
            )}
            <Menu
              items={[
                ...viewers,
                ...(playable
                  ? [{ label: "Export a range", icon: <Scissors aria-hidden />, onSelect: () => setExporting(true) }]
                  : []),
                ...(viewers.length > 0 || playable ? ["separator" as const] : []),
                ...actions.menu(recording),
              ]}
              trigger={
                <IconButton label={`Actions for ${title}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      {playable ? (
        <TimelineView
          key={`${recording.start_ns} ${recording.end_ns}`}
          recording={recording}
          panels={panels}
          exporting={exporting}
          setExporting={setExporting}
        >
          {sharing && <ShareDialog onClose={() => setSharing(false)} />}
        </TimelineView>
      ) : (
        <RecordingState recording={recording} />
      )}
      {actions.dialogs}
    </div>
  );
}

function RecordingTags({ recording, title }: { recording: RecordingDetail; title: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return (
    <EditableTags
      name={title}
      tags={recording.tags}
      vocabulary={trpc.recordings.vocabulary.queryOptions()}
      write={async (tags) => {
        await client.recordings.update.mutate({ uid: recording.uid, change: { tags } });
        await queryClient.invalidateQueries(trpc.recordings.get.pathFilter());
      }}
    />
  );
}
