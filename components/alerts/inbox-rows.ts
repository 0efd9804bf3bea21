"use client";

import { useQueries } from "@tanstack/react-query";
import { parseAsArrayOf, parseAsString, useQueryState } from "nuqs";
import { useEffect, useState } from "react";
import { plural } from "@/components/kit/format";
import { announce } from "@/components/kit/live-region";
import { useTRPC } from "@/components/trpc/client";
import type { InboxGrouping } from "@/domain/alerts/lifecycle";
import { inboxInput, type Alert, type AlertGroup, type Target } from "./query";

/** A line of the inbox: an alert, a group, or below an open group the link to the rest of it. */
export type InboxRow =
  | { kind: "alert"; key: string; alert: Alert; inside: boolean }
  | { kind: "group"; key: string; group: AlertGroup; by: InboxGrouping; open: boolean }
  | { kind: "rest"; key: string; group: AlertGroup; by: InboxGrouping; shown: number };

export const groupKey = (uid: string): string => `g:${uid}`;
export const isGroupKey = (key: string | null): boolean => key?.startsWith("g:") ?? false;

export const toTarget = (row: InboxRow): Target | null =>
  row.kind === "alert"
    ? { kind: "alert", alert: row.alert }
    : row.kind === "group"
      ? { kind: "group", group: row.group, by: row.by }
      : null;

/** The tab's own list narrowed to one group. */
export const groupHref = (parameters: URLSearchParams, group: AlertGroup, by: InboxGrouping): string => {
  const query = new URLSearchParams(parameters);
  for (const key of ["group", "expanded", "selected"]) query.delete(key);
  query.set(by === "rule" ? "rule_id" : "device_id", group.key);
  return `/alerts?${query.toString()}`;
};

/** Which groups are open, in the address as `?expanded=`. */
export function useExpanded(): [readonly string[], (key: string) => void] {
  const [expanded, setExpanded] = useQueryState("expanded", parseAsArrayOf(parseAsString).withDefault([]));
  const toggle = (key: string) =>
    void setExpanded(expanded.includes(key) ? expanded.filter((each) => each !== key) : [...expanded, key].slice(-10));
  return [expanded, toggle];
}

/**
 * The key of the row that is shown: the selected one, and beside the list, where something is always shown, else the
 * first. That one stays while it is listed, whatever moves above it.
 */
export function useShown(
  beside: boolean,
  selected: string | null,
  rows: readonly InboxRow[] | undefined,
): string | null {
  const [first, setFirst] = useState<string | null>(null);
  // A group is known by its row alone, an alert also by its address.
  const gone = isGroupKey(selected) && rows !== undefined && !rows.some(({ key }) => key === selected);
  if (!beside || (selected !== null && !gone)) return selected;
  const listed = rows?.some(({ key }) => key === first) ? first : (rows?.[0]?.key ?? null);
  if (rows !== undefined && listed !== first) setFirst(listed);
  return listed;
}

const arrivalLabels = (count: number) => plural(count, "new alert");

function useAnnounced(waiting: number) {
  const [announced, setAnnounced] = useState(0);
  if (waiting < announced) setAnnounced(waiting);
  useEffect(() => {
    if (waiting <= announced) return;
    announce(arrivalLabels(waiting));
    // Rows that were announced are not announced again with the next one.
    const timer = setTimeout(() => setAnnounced(waiting), 0);
    return () => clearTimeout(timer);
  }, [waiting, announced]);
}

/**
 * Hides alerts that arrived since the list was opened behind a pill, wherever the order would place them; earlier rows
 * update in place. `list` identifies the shown list and is null while the rows are still those of another.
 */
export function useArrivals(list: string | null, all: readonly Alert[] | undefined, newest: string | null) {
  const [accepted, setAccepted] = useState<{ list: string | null; horizon: string }>({ list: null, horizon: "" });
  const loaded = list !== null && all !== undefined;
  const known = all?.filter((alert) => alert.uid <= accepted.horizon) ?? [];
  // Another list, or an empty one that gets its first row: nothing moves below the pointer.
  const adopt = loaded && (accepted.list !== list || (known.length === 0 && all.length > 0));
  const horizon = all?.reduce((latest, { uid }) => (uid > latest ? uid : latest), newest ?? "") ?? "";
  if (adopt && (accepted.list !== list || accepted.horizon !== horizon)) setAccepted({ list, horizon });
  const rows = !loaded || adopt ? all : known;
  const waiting = (all?.length ?? 0) - (rows?.length ?? 0);
  useAnnounced(waiting);
  return {
    rows,
    seen: adopt ? horizon : accepted.horizon,
    fresh: { count: waiting, onShow: () => setAccepted({ list, horizon }) },
  };
}

/** The same for groups: new ones wait, the others stay in place while their figures change. */
export function useGroupArrivals(list: string | null, all: readonly AlertGroup[] | undefined) {
  const [accepted, setAccepted] = useState<{ list: string | null; keys: readonly string[] }>({ list: null, keys: [] });
  const byKey = new Map(all?.map((group) => [group.key, group]));
  const known = accepted.keys.flatMap((key) => byKey.get(key) ?? []);
  const adopt =
    list !== null && all !== undefined && (accepted.list !== list || (known.length === 0 && all.length > 0));
  const keys = all?.map((group) => group.key) ?? [];
  if (adopt) setAccepted({ list, keys });
  const rows = list === null || adopt || all === undefined ? all : known;
  const waiting = (all?.length ?? 0) - (rows?.length ?? 0);
  useAnnounced(waiting);
  return { rows, fresh: { count: waiting, onShow: () => setAccepted({ list, keys }) } };
}

/** How many alerts of an open group are listed under it. */
const insideGroup = 50;

/** Groups with the alerts of those that are open below them; a group of one is its alert. */
export function useGroupRows(
  groups: readonly AlertGroup[] | undefined,
  by: InboxGrouping,
  expanded: readonly string[],
  values: Readonly<Record<string, string | null>>,
): InboxRow[] | undefined {
  const trpc = useTRPC();
  const open = groups?.filter((group) => expanded.includes(group.key)) ?? [];
  const lists = useQueries({
    queries: open.map((group) => {
      const key = by === "rule" ? "rule_id" : "device_id";
      return trpc.alerts.inbox.queryOptions({ ...inboxInput({ ...values, [key]: group.key }), limit: insideGroup });
    }),
  });
  return groups?.flatMap((group): InboxRow[] => {
    if (group.single) return [{ kind: "alert", key: group.single.uid, alert: group.single, inside: false }];
    const at = open.indexOf(group);
    const alerts = at < 0 ? undefined : lists[at]?.data?.results;
    const inside = (alerts ?? []).map((alert): InboxRow => ({ kind: "alert", key: alert.uid, alert, inside: true }));
    const rest = alerts && group.count > alerts.length;
    return [
      { kind: "group", key: groupKey(group.key), group, by, open: at >= 0 },
      ...inside,
      ...(rest ? [{ kind: "rest" as const, key: `rest:${group.key}`, group, by, shown: alerts.length }] : []),
    ];
  });
}
