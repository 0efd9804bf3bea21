"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Link2, SquareArrowOutUpRight, Tag, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import type { MenuItem } from "@/components/kit/menu";
import { recordingHref } from "@/components/product/recording-links";
import { toast } from "@/components/product/toast";
import { TagDialog } from "@/components/recordings/tag-dialog";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import type { EventRow } from "./query";

type BulkAnswer = Outputs["events"]["tagMany"];

/** The timeline of an event's recording with the playhead on it and the field its rule watches plotted. */
export const eventHref = (event: Pick<EventRow, "recording_id" | "timestamp_ns" | "watched">): string =>
  recordingHref(event.recording_id, {
    t: exactIsoFromNs(BigInt(event.timestamp_ns)),
    plots: event.watched.slice(0, 4).map(({ topic, field }) => `${topic}.${field}`),
  });

export interface EventActions {
  menu: (event: EventRow) => MenuItem[];
  askForTags: (events: readonly EventRow[]) => void;
  askToDelete: (events: readonly EventRow[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with events, one or many. */
export function useEventActions(onDeleted: (uids: readonly string[]) => void): EventActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [targets, setTargets] = useState<readonly EventRow[]>([]);
  const [kind, setKind] = useState<"tag" | "delete" | null>(null);
  const refresh = () => queryClient.invalidateQueries(trpc.events.pathFilter());
  const ask = (next: "tag" | "delete") => (events: readonly EventRow[]) => {
    setTargets(events);
    setKind(next);
  };

  const report = (answer: BulkAnswer, words: string, undo?: () => Promise<unknown>) => {
    if (answer.succeeded > 0) {
      const title = `${plural(answer.succeeded, "event")} ${words}`;
      if (undo) toast.undo(title, () => void undo().then(refresh, (error: unknown) => toast.failure(error)));
      else toast.success(title);
    }
    if (answer.failed === 0) return;
    const reasons = [...new Set(answer.results.flatMap(({ error }) => (error === null ? [] : [error])))]
      .slice(0, 3)
      .join(" ");
    toast.failure(new Error(reasons), { title: `${plural(answer.failed, "event")} not ${words}` });
  };

  const undoOf = async (change: { add?: string[]; remove?: string[] }, uids: string[]) => {
    if (uids.length > 0) await client.events.tagMany.mutate({ uids, ...change });
  };
  const tag = async (add: readonly string[], remove: readonly string[]) => {
    try {
      const answer = await client.events.tagMany.mutate({
        uids: targets.map(({ uid }) => uid),
        add: [...add],
        remove: [...remove],
      });
      report(answer, "tagged", async () => {
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
      });
    } catch (error) {
      toast.failure(error, { title: "No tag was changed" });
    }
    await refresh();
  };
  const remove = async () => {
    try {
      const answer = await client.events.deleteMany.mutate({ uids: targets.map(({ uid }) => uid) });
      report(answer, "deleted");
      onDeleted(answer.results.flatMap(({ uid, ok }) => (ok ? [uid] : [])));
    } catch (error) {
      toast.failure(error, { title: "Nothing was deleted" });
      throw error;
    }
    await refresh();
  };

  const menu: EventActions["menu"] = (event) => [
    { label: "Open at this time", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: eventHref(event) },
    ...(event.rule_id ? [{ label: "Open rule", icon: <Link2 aria-hidden />, href: `/rules/${event.rule_id}` }] : []),
    { label: "Edit tags", icon: <Tag aria-hidden />, onSelect: () => ask("tag")([event]) },
    "separator",
    { label: "Delete", icon: <Trash2 aria-hidden />, danger: true, onSelect: () => ask("delete")([event]) },
  ];

  const [first] = targets;
  const name = targets.length === 1 && first ? first.label : plural(targets.length, "event");
  const dialogs = first && (
    <>
      <TagDialog
        key={`${first.uid} ${kind === "tag"}`}
        open={kind === "tag"}
        onClose={() => setKind(null)}
        noun={name}
        tags={targets.length === 1 ? first.tags : undefined}
        query={trpc.events.vocabulary.queryOptions()}
        onSave={tag}
      />
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(open) => !open && setKind(null)}
        title={`Delete ${name}?`}
        description="For good. The recording stays as it is; a rule that made the event makes it again when it is evaluated anew."
        action={targets.length === 1 ? "Delete event" : `Delete ${plural(targets.length, "event")}`}
        onConfirm={remove}
      />
    </>
  );
  return { menu, askForTags: ask("tag"), askToDelete: ask("delete"), dialogs };
}
