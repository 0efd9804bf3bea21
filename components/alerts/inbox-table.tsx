"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter, useSearchParams } from "next/navigation";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { useMemo, useState } from "react";
import { Button } from "@/components/kit/button";
import { SplitView, useSplit } from "@/components/kit/split-view";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import type { FilterValues } from "@/components/list/no-matches";
import { useListPage } from "@/components/list/use-list-page";
import type { DatasetMark } from "@/components/moments/dataset-marks";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { inboxOrders, type InboxTab } from "@/domain/alerts/lifecycle";
import { fleetPageSize } from "@/domain/limits";
import { AlertDrawer } from "./alert-drawer";
import { AlertPane, EmptyPane, GroupPane } from "./alert-pane";
import { BulkBar } from "./bulk-bar";
import { useAlertDefinitions } from "./definitions";
import { inboxColumns } from "./inbox-columns";
import { InboxEmpty } from "./inbox-empty";
import { InboxOptions } from "./inbox-options";
import {
  groupHref,
  groupKey,
  isGroupKey,
  toTarget,
  useArrivals,
  useExpanded,
  useGroupArrivals,
  useGroupRows,
  useShown,
  type InboxRow,
} from "./inbox-rows";
import { alertMenu } from "./menus";
import { type Alert, type Counts, type Target, alertFilters, groupInput, inboxInput } from "./query";
import { useRemoveTest } from "./remove-test";
import { Swipe } from "./swipe";
import { targetKey, useTriage } from "./triage";
import { useTriageKeys } from "./triage-keys";
import { useGrouping } from "./use-grouping";

const noSeries: Readonly<Record<string, readonly number[]>> = {};
const noMarks: readonly DatasetMark[] = [];

interface InboxTableProps {
  tab: InboxTab;
  /** The filters in the address. */
  filterValues: FilterValues;
  counts: Counts | undefined;
  onTest: () => void;
}

/** Share of the window that the list has beside an alert, in percent. */
const listShare = 45;

/** One tab of the inbox as a list or in groups, with its keys, the selected alert and what can be done with rows. */
export function InboxTable({ tab, filterValues, counts, onTest }: InboxTableProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const parameters = useSearchParams();
  const definitions = useAlertDefinitions();
  const [order, setOrder] = useQueryState(
    "order",
    parseAsStringLiteral(inboxOrders).withDefault("severity").withOptions({ history: "push" }),
  );
  const [expanded, toggle] = useExpanded();
  const [isTicking, setTicking] = useState(false);
  const grouping = useGrouping({ ...filterValues, status: tab });
  const group = grouping.by ?? null;

  const list = useListPage({
    definitions,
    textKey: "q",
    query: (values) =>
      trpc.alerts.inbox.infiniteQueryOptions(inboxInput({ ...values, status: tab, order }), {
        ...nextPage,
        enabled: group === null,
      }),
    probe: (values) => trpc.alerts.inbox.queryOptions({ ...inboxInput({ ...values, status: tab }), limit: 1 }),
  });
  const { selected, select } = list;
  const split = useSplit();
  const values = { ...list.values, status: tab, order };
  const grouped = useQuery({
    ...trpc.alerts.groups.queryOptions(groupInput(values, group ?? "rule")),
    placeholderData: keepPreviousData,
    enabled: group !== null,
  });
  const query = group === null ? list.query : grouped;

  const newest = group === null ? (list.query.data?.pages[0]?.newest ?? null) : (grouped.data?.newest ?? null);
  const name = query.isPlaceholderData ? null : JSON.stringify([inboxInput(values), group]);
  const arrivals = useArrivals(group === null ? name : null, list.all, newest);
  const groups = useGroupArrivals(group === null ? null : name, grouped.data?.results);
  const groupRows = useGroupRows(groups.rows, group ?? "rule", expanded, values);

  const remove = useRemoveTest((uid) => list.deselect([uid]));
  const keys = useTriageKeys({
    selected: () => shown,
    setSelected: select,
    beside: split,
    rows: () => rows,
    triage: () => triage,
  });
  const triage = useTriage({
    tab,
    filters: alertFilters(list.values),
    newest: group === null ? arrivals.seen || null : newest,
    onLeave: (targets) => keys.advance(targets.map(targetKey)),
    onRestore: (targets) => keys.restore(targets.map(targetKey)),
  });
  const plain = useMemo(
    () => arrivals.rows?.map((alert): InboxRow => ({ kind: "alert", key: alert.uid, alert, inside: false })),
    [arrivals.rows],
  );
  const listed = grouping.by === undefined ? undefined : group === null ? plain : groupRows;
  const rows = listed?.filter((row) => !triage.leaving.has(row.key));
  const shown = useShown(split, selected, rows);

  const repeated = (rows ?? []).flatMap((row) =>
    row.kind === "alert" && row.alert.occurrence_count > 1 && row.alert.recording_id ? [row.key] : [],
  );
  const series = useQuery({
    ...trpc.alerts.occurrences.queryOptions({ uids: repeated.slice(0, fleetPageSize.max) }),
    enabled: repeated.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  }).data;
  const listedAlerts = (rows ?? []).flatMap((row) => (row.kind === "alert" ? [row.key] : []));
  const marks = useQuery({
    ...trpc.moments.marks.queryOptions({ alerts: listedAlerts.slice(0, fleetPageSize.max) }),
    enabled: listedAlerts.length > 0,
    placeholderData: keepPreviousData,
  }).data;
  const maxHourly = Math.max(1, ...(groups.rows ?? []).flatMap(({ hours }) => hours));
  const columns = useMemo(
    () => inboxColumns({ tab, series: series ?? noSeries, maxHourly, marks: marks ?? noMarks, toggle }),
    [tab, series, maxHourly, marks, toggle],
  );

  const findRow = (key: string | null) => rows?.find((row) => row.key === key);
  const onSelect = (key: string | null) => {
    const row = findRow(key);
    if (row?.kind === "rest") return router.push(groupHref(parameters, row.group, row.by));
    if (split) {
      if (row?.kind === "group" && key === shown) toggle(row.group.key);
      return key === null ? undefined : select(key);
    }
    if (row?.kind !== "group") return select(key);
    // Moving from an open drawer onto a group only closes the drawer.
    if (selected !== null) select(null);
    else toggle(row.group.key);
  };
  const chosen = findRow(shown);
  const menu = (alert: Alert) =>
    alertMenu(alert, triage, { open: true, comment: () => keys.comment(alert.uid), remove });
  const findTargets = (chosenKeys: readonly string[]): Target[] =>
    chosenKeys.flatMap((key) => {
      const row = findRow(key);
      const inTickedGroup =
        row?.kind === "alert" &&
        row.inside &&
        chosenKeys.some((each) => each === groupKey(group === "device" ? row.alert.device_id : row.alert.rule_id));
      return row && !inTickedGroup ? (toTarget(row) ?? []) : [];
    });

  const drawn = { row: chosen?.kind === "alert" ? chosen.alert : undefined, triage, menu, keyed: !isTicking };
  const pane =
    !split || shown === null ? (
      <EmptyPane />
    ) : chosen?.kind === "group" ? (
      <GroupPane
        key={shown}
        group={chosen.group}
        by={chosen.by}
        triage={triage}
        href={groupHref(parameters, chosen.group, chosen.by)}
      />
    ) : (
      <AlertPane uid={shown} {...drawn} />
    );

  const table = (
    <Swipe
      enabled={tab === "open"}
      label="Acknowledge"
      disabledReason={triage.reason}
      onSwipe={(key) => {
        const target = findRow(key);
        const found = target && toTarget(target);
        if (found) void triage.acknowledge([found]);
      }}
    >
      <ListTable<InboxRow>
        list={list}
        id="alerts"
        label="Alerts"
        noun={group === null || rows?.length === 0 ? ["alert", "alerts"] : ["row", "rows"]}
        lines={2}
        columns={columns}
        rows={rows}
        rowKey={(row) => row.key}
        rowLabel={(row) =>
          row.kind === "alert" ? `${row.alert.rule_name} on ${row.alert.device_name}` : `all of ${row.group.name}`
        }
        href={(row) => (row.kind === "alert" ? `/alerts/${row.alert.uid}` : groupHref(parameters, row.group, row.by))}
        selected={shown}
        onSelect={onSelect}
        beside={split}
        rowMenu={(row) => {
          if (row.kind === "alert") return menu(row.alert);
          return [{ label: "List these alerts", keys: "enter", href: groupHref(parameters, row.group, row.by) }];
        }}
        bulkActions={(ticked, clear) => (
          <BulkBar targets={findTargets(ticked)} triage={triage} tab={tab} clear={clear} onShown={setTicking} />
        )}
        filterBar={{ label: "Filter alerts", placeholder: "Filter by severity, device, rule, assignee or text" }}
        tools={
          <>
            <InboxOptions
              group={group}
              onGroup={grouping.choose}
              order={order}
              onOrder={(next) => void setOrder(next)}
            />
            <SavedViews screen="alerts" />
          </>
        }
        empty={<InboxEmpty tab={tab} counts={counts} onTest={onTest} />}
        error={query.error}
        onRetry={() => void query.refetch()}
        fetching={query.isPlaceholderData}
        hasMore={group === null && list.query.hasNextPage}
        loadingMore={list.table.loadingMore}
        onLoadMore={list.table.onLoadMore}
        fresh={group === null ? arrivals.fresh : groups.fresh}
      />
      {group !== null && grouped.data?.partial && (
        <p className="border-t px-4 py-2 text-meta text-subtle sm:px-6">
          More alerts match than can be grouped. The worst and newest are shown; narrow the filters to see the rest.
        </p>
      )}
      {grouping.offered && (
        <p className="flex items-center gap-2 border-t px-4 py-1 text-meta text-muted sm:px-6">
          Three or more alerts are of one rule.
          <Button variant="ghost" size="sm" onClick={() => grouping.choose("rule")}>
            Group by rule
          </Button>
        </p>
      )}
    </Swipe>
  );
  return (
    <>
      <SplitView
        id="alerts"
        initial={listShare}
        label="Width of the list"
        list={table}
        pane={rows?.length === 0 || (rows === undefined && query.error) ? null : pane}
      />
      {!split && <AlertDrawer uid={isGroupKey(selected) ? null : selected} {...drawn} onClose={() => select(null)} />}
      {triage.dialogs}
    </>
  );
}
