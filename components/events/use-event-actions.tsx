"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Link2, SquareArrowOutUpRight, Tag, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import type { MenuItem } from "@/components/kit/menu";
import { useBulkActions } from "@/components/product/bulk-actions";
import { usePermissions } from "@/components/product/permissions";
import { recordingHref } from "@/components/product/recording-links";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import type { EventRow } from "./query";

/** The timeline of an event's recording with the playhead on it and the field its rule watches plotted. */
export const eventHref = (event: Pick<EventRow, "recording_id" | "timestamp_ns" | "watched">): string =>
  recordingHref(event.recording_id, {
    t: exactIsoFromNs(BigInt(event.timestamp_ns)),
    plots: event.watched.slice(0, 4).map(({ topic, field }) => `${topic}.${field}`),
  });

export interface EventActions {
  menu: (event: EventRow) => MenuItem[];
  /** Why the person may not change the event. */
  explain: (event: EventRow) => string | undefined;
  editTags: (events: readonly EventRow[]) => void;
  confirmDelete: (events: readonly EventRow[]) => void;
  /** The dialogs these actions need; draw it once. */
  dialogs: ReactNode;
}

/** What can be done with events, one or many. */
export function useEventActions(onDeleted: (uids: readonly string[]) => void): EventActions {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const { refusal, username } = usePermissions();
  const bulk = useBulkActions<EventRow>({
    noun: "event",
    getName: (event) => event.label,
    tagMany: client.events.tagMany.mutate,
    deleteMany: client.events.deleteMany.mutate,
    onDeleted,
    refresh: () => queryClient.invalidateQueries(trpc.events.pathFilter()),
    vocabulary: trpc.events.vocabulary.queryOptions(),
    deletion: () => ({
      description:
        "This cannot be undone. The recording is kept; a rule that created the event creates it again when it is re-evaluated.",
    }),
  });

  // Who is behind a key is not known here; the server knows.
  const explain = ({ source, source_name: name }: EventRow) =>
    refusal(source === "api_key" || (source === "user" && name === username) ? {} : { role: "admin" });
  const menu: EventActions["menu"] = (event) => [
    { label: "Open at this time", icon: <SquareArrowOutUpRight aria-hidden />, keys: "enter", href: eventHref(event) },
    ...(event.rule_id ? [{ label: "Open rule", icon: <Link2 aria-hidden />, href: `/rules/${event.rule_id}` }] : []),
    {
      label: "Edit tags",
      icon: <Tag aria-hidden />,
      disabledReason: explain(event),
      onSelect: () => bulk.editTags([event]),
    },
    "separator",
    {
      label: "Delete",
      icon: <Trash2 aria-hidden />,
      danger: true,
      disabledReason: explain(event),
      onSelect: () => bulk.confirmDelete([event]),
    },
  ];
  return { menu, explain, ...bulk };
}
