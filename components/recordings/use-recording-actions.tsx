"use client";

import { useQueryClient } from "@tanstack/react-query";
import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  RotateCw,
  Siren,
  SquareArrowOutUpRight,
  Tag,
  Trash2,
} from "lucide-react";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { recordingHref } from "@/components/product/recording-links";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { recordingTitle, type RecordingRow } from "./query";
import { TagDialog } from "./tag-dialog";

type Target = Pick<RecordingRow, "uid" | "name" | "device_name" | "started_at" | "status" | "tags">;
type BulkAnswer = Outputs["recordings"]["tagMany"];

const failures = ({ results }: BulkAnswer): string =>
  [...new Set(results.flatMap(({ error }) => (error === null ? [] : [error])))].slice(0, 3).join(" ");

/** Has a recording's files processed once more. */
export function useReprocess(): (uid: string) => Promise<void> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  return async function reprocess(uid: string) {
    try {
      await client.recordings.reprocess.mutate({ uid });
      await queryClient.invalidateQueries(trpc.recordings.pathFilter());
      toast.success("Processing begins anew");
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
  askForTags: (recordings: readonly Target[]) => void;
  askToDelete: (recordings: readonly Target[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with recordings, one or many, the same in the list, its menus and its drawer. */
export function useRecordingActions(onDeleted: (uids: readonly string[]) => void): RecordingActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reprocess = useReprocess();
  const [targets, setTargets] = useState<readonly Target[]>([]);
  const [kind, setKind] = useState<"tag" | "delete" | null>(null);
  const refresh = () => queryClient.invalidateQueries(trpc.recordings.pathFilter());
  const ask = (next: "tag" | "delete") => (recordings: readonly Target[]) => {
    setTargets(recordings);
    setKind(next);
  };

  /** Says what was done, with Undo where it can be taken back, and what could not be done to some. */
  const report = (answer: BulkAnswer, words: string, undo?: () => Promise<unknown>) => {
    if (answer.succeeded > 0) {
      const title = `${plural(answer.succeeded, "recording")} ${words}`;
      if (undo) toast.undo(title, () => void undo().then(refresh, (error: unknown) => toast.failure(error)));
      else toast.success(title);
    }
    if (answer.failed > 0)
      toast.failure(new Error(failures(answer)), { title: `${plural(answer.failed, "recording")} not ${words}` });
  };
  const run = async (title: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toast.failure(error, { title, onRetry: () => void run(title, work) });
      return;
    }
    await refresh();
  };

  const archive = (uids: readonly string[]) =>
    run("Nothing was archived", async () => {
      const answer = await client.recordings.archiveMany.mutate({ uids: [...uids] });
      const back = answer.results.flatMap(({ uid, ok, before }) => (ok && before === "ready" ? [uid] : []));
      report(
        answer,
        "archived",
        back.length > 0 ? () => client.recordings.restoreMany.mutate({ uids: back }) : undefined,
      );
    });
  const restore = (uids: readonly string[]) =>
    run("Nothing was brought back", async () => {
      const answer = await client.recordings.restoreMany.mutate({ uids: [...uids] });
      report(answer, "brought back", () => client.recordings.archiveMany.mutate({ uids: [...uids] }));
    });

  const tag = (add: readonly string[], remove: readonly string[]) =>
    run("No tag was changed", async () => {
      const answer = await client.recordings.tagMany.mutate({
        uids: targets.map(({ uid }) => uid),
        add: [...add],
        remove: [...remove],
      });
      const undo = async () => {
        for (const each of add)
          await undoOf(
            { remove: [each] },
            answer.results.flatMap(({ uid, added }) => (added?.includes(each) ? [uid] : [])),
          );
        for (const each of remove)
          await undoOf(
            { add: [each] },
            answer.results.flatMap(({ uid, removed }) => (removed?.includes(each) ? [uid] : [])),
          );
      };
      report(answer, "tagged", undo);
    });
  const undoOf = async (change: { add?: string[]; remove?: string[] }, uids: string[]) => {
    if (uids.length > 0) await client.recordings.tagMany.mutate({ uids, ...change });
  };

  const remove = async () => {
    const uids = targets.map(({ uid }) => uid);
    try {
      const answer = await client.recordings.deleteMany.mutate({ uids });
      report(answer, "deleted");
      onDeleted(answer.results.flatMap(({ uid, ok }) => (ok ? [uid] : [])));
    } catch (error) {
      toast.failure(error, { title: "Nothing was deleted" });
      throw error;
    }
    await refresh();
  };

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
    "separator",
    { label: "Edit tags", icon: <Tag aria-hidden />, onSelect: () => ask("tag")([recording]) },
    ...(recording.status === "error" || recording.status === "ready"
      ? [{ label: "Process again", icon: <RotateCw aria-hidden />, onSelect: () => void reprocess(recording.uid) }]
      : []),
    recording.status === "archived"
      ? { label: "Bring back", icon: <ArchiveRestore aria-hidden />, onSelect: () => void restore([recording.uid]) }
      : { label: "Archive", icon: <Archive aria-hidden />, onSelect: () => void archive([recording.uid]) },
    "separator",
    { label: "Delete", icon: <Trash2 aria-hidden />, danger: true, onSelect: () => ask("delete")([recording]) },
  ];

  const [first] = targets;
  const name = targets.length === 1 && first ? recordingTitle(first) : plural(targets.length, "recording");
  const dialogs = first && (
    <>
      <TagDialog
        key={`${first.uid} ${kind === "tag"}`}
        open={kind === "tag"}
        onClose={() => setKind(null)}
        noun={name}
        tags={targets.length === 1 ? first.tags : undefined}
        query={trpc.recordings.vocabulary.queryOptions()}
        onSave={tag}
      />
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(open) => !open && setKind(null)}
        title={`Delete ${name}?`}
        description={`For good, with ${targets.length === 1 ? "its" : "their"} files, topics and events. Alerts stay, without the recording.`}
        action={targets.length === 1 ? "Delete recording" : `Delete ${plural(targets.length, "recording")}`}
        typeToConfirm={targets.length === 1 ? name.trim() : `delete ${targets.length}`}
        onConfirm={remove}
      />
    </>
  );
  return { menu, archive, restore, askForTags: ask("tag"), askToDelete: ask("delete"), dialogs };
}
