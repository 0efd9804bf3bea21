"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  GitCompareArrows,
  RotateCw,
  Siren,
  SquareArrowOutUpRight,
  Tag,
  Trash2,
} from "lucide-react";
import type { ReactNode } from "react";
import type { MenuItem } from "@/components/kit/menu";
import { useBulkActions } from "@/components/product/bulk-actions";
import { usePermissions } from "@/components/product/permissions";
import { compareHref, recordingHref } from "@/components/product/recording-links";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { recordingTitle, type RecordingRow } from "./query";

type Target = Pick<RecordingRow, "uid" | "name" | "device_name" | "started_at" | "status" | "tags">;

const isComparable = ({ status }: Target): boolean => status === "ready" || status === "archived";

/** Processes a recording's files again. */
export function useReprocess(): (uid: string) => Promise<void> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return async function reprocess(uid: string) {
    try {
      await client.recordings.reprocess.mutate({ uid });
      await queryClient.invalidateQueries(trpc.recordings.pathFilter());
      toast.success("Processing started again");
    } catch (error) {
      toast.failure(error, { title: "The recording was not processed again", onRetry: () => void reprocess(uid) });
    }
  };
}

export interface RecordingActions {
  /** Items of a menu; `open` puts the link to the recording's page in front. */
  menu: (recording: Target, options?: { open?: boolean }) => MenuItem[];
  archive: (uids: readonly string[]) => Promise<void>;
  restore: (uids: readonly string[]) => Promise<void>;
  editTags: (recordings: readonly Target[]) => void;
  confirmDelete: (recordings: readonly Target[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with recordings, one or many, the same in the list, its menus and its drawer. */
export function useRecordingActions(onDeleted: (uids: readonly string[]) => void): RecordingActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reprocess = useReprocess();
  const { refusal } = usePermissions();
  const reason = refusal();
  const bulk = useBulkActions<Target>({
    noun: "recording",
    getName: recordingTitle,
    tagMany: client.recordings.tagMany.mutate,
    deleteMany: client.recordings.deleteMany.mutate,
    onDeleted,
    refresh: () => queryClient.invalidateQueries(trpc.recordings.pathFilter()),
    vocabulary: trpc.recordings.vocabulary.queryOptions(),
    deletion: ({ count, name }) => ({
      description: `This cannot be undone. Deleted with ${count === 1 ? "its" : "their"} files, topics and events. Alerts are kept, without the recording.`,
      typeToConfirm: count === 1 ? name.trim() : `delete ${count}`,
    }),
  });
  const { report, run } = bulk;

  const archive = (uids: readonly string[]) =>
    run("Nothing was archived", async () => {
      const result = await client.recordings.archiveMany.mutate({ uids: [...uids] });
      const back = result.results.flatMap(({ uid, ok, before }) => (ok && before === "ready" ? [uid] : []));
      report(
        result,
        "archived",
        back.length > 0 ? () => client.recordings.restoreMany.mutate({ uids: back }) : undefined,
      );
    });
  const restore = (uids: readonly string[]) =>
    run("Nothing was restored", async () => {
      const result = await client.recordings.restoreMany.mutate({ uids: [...uids] });
      report(result, "restored", () => client.recordings.archiveMany.mutate({ uids: [...uids] }));
    });

  const menu: RecordingActions["menu"] = (recording, options = {}) => [
    ...(options.open
      ? [
          {
            label: "Open timeline",
            icon: <SquareArrowOutUpRight aria-hidden />,
            keys: "enter",
            href: recordingHref(recording.uid),
          },
        ]
      : []),
    { label: "Show events", icon: <CalendarClock aria-hidden />, href: `/events?recording_id=${recording.uid}` },
    { label: "Show alerts", icon: <Siren aria-hidden />, href: `/alerts?recording_id=${recording.uid}` },
    {
      label: "Compare with…",
      icon: <GitCompareArrows aria-hidden />,
      disabledReason: isComparable(recording) ? undefined : "It can be compared once it is processed.",
      href: compareHref(recording.uid),
    },
    "separator",
    {
      label: "Edit tags",
      icon: <Tag aria-hidden />,
      disabledReason: reason,
      onSelect: () => bulk.editTags([recording]),
    },
    ...(recording.status === "error" || recording.status === "ready"
      ? [
          {
            label: "Process again",
            icon: <RotateCw aria-hidden />,
            disabledReason: reason,
            onSelect: () => void reprocess(recording.uid),
          },
        ]
      : []),
    recording.status === "archived"
      ? {
          label: "Restore",
          icon: <ArchiveRestore aria-hidden />,
          disabledReason: reason,
          onSelect: () => void restore([recording.uid]),
        }
      : {
          label: "Archive",
          icon: <Archive aria-hidden />,
          disabledReason: reason,
          onSelect: () => void archive([recording.uid]),
        },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: refusal({ role: "admin" }),
      onSelect: () => bulk.confirmDelete([recording]),
    },
  ];
  return { menu, archive, restore, ...bulk };
}
