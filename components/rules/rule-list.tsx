"use client";

import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { ButtonLink } from "@/components/kit/button";
import { useSelected } from "@/components/kit/drawer";
import { EmptyState } from "@/components/kit/empty-state";
import { FilterBar } from "@/components/kit/filter-bar";
import { useFilters, type FilterDefinition } from "@/components/kit/filters";
import { useLatest } from "@/components/kit/latest";
import { PageHeader } from "@/components/kit/page-header";
import { DataTable } from "@/components/list/data-table";
import { NoMatches } from "@/components/list/no-matches";
import { useOrigin } from "@/components/product/origin";
import { useTRPC } from "@/components/trpc/client";
import { SavedViews } from "@/components/views/saved-views";
import { conditionKinds, conditionTypes } from "@/domain/conditions/registry";
import { fleetPageSize } from "@/domain/limits";
import { listInput, nextPage } from "./query";
import { ruleColumns } from "./rule-columns";
import { RuleDrawer } from "./rule-drawer";
import { useRuleActions } from "./use-rule-actions";

const definitions: readonly FilterDefinition[] = [
  {
    key: "enabled",
    label: "Enabled",
    options: [
      { value: "true", label: "On" },
      { value: "false", label: "Off" },
    ],
  },
  {
    key: "condition_type",
    label: "Type",
    multiple: true,
    options: conditionTypes.map((type) => ({ value: type, label: conditionKinds[type].label })),
  },
];

const createCommand = (origin: string) => `curl ${origin}/api/v1/fleet/rules/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Motor too hot",
       "condition": {"type": "threshold", "topic": "/motor/state", "field": "temperature",
                     "operator": "gt", "value": 80, "window": "10s"},
       "actions": [{"type": "flag_for_review", "severity": "critical"}]}'`;

/** Every rule of the organization in words, with how often it fires. */
export function RuleList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const filters = useFilters(definitions, "search");
  const [selected, setSelected] = useSelected();
  const input = listInput(filters.values);
  const query = useInfiniteQuery({
    ...trpc.rules.list.infiniteQueryOptions(input, { getNextPageParam: nextPage }),
    placeholderData: keepPreviousData,
  });
  const rules = useMemo(() => query.data?.pages.flatMap((page) => page.results), [query.data]);
  const uids = useMemo(() => rules?.map(({ uid }) => uid).slice(0, fleetPageSize.max) ?? [], [rules]);
  const activity = useQuery({
    ...trpc.rules.activity.queryOptions({ uids, days: 30 }),
    enabled: uids.length > 0,
    placeholderData: keepPreviousData,
  }).data;
  const rows = useMemo(
    () =>
      rules?.map((rule) => ({
        ...rule,
        activity: activity && (activity[rule.uid] ?? Array.from({ length: 30 }, () => 0)),
      })),
    [rules, activity],
  );
  const actions = useRuleActions((uid) => uid === selected && setSelected(null));
  const toggle = useLatest(actions.toggle);
  const columns = useMemo(() => ruleColumns((rule, enabled) => void toggle(rule, enabled)), [toggle]);

  const createButton = (
    <ButtonLink href="/rules/new" variant="primary" icon={<Plus aria-hidden />}>
      New rule
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Rules" actions={rows?.length === 0 && filters.count === 0 ? undefined : createButton} />
      <DataTable
        id="rules"
        label="Rules"
        noun={["rule", "rules"]}
        columns={columns}
        rows={rows}
        rowKey={(rule) => rule.uid}
        rowLabel={(rule) => rule.name}
        href={(rule) => `/rules/${rule.uid}`}
        selected={selected}
        onSelect={setSelected}
        rowMenu={(rule) => actions.menu(rule, { open: true })}
        toolbar={
          <>
            <FilterBar
              definitions={definitions}
              filters={filters}
              textKey="search"
              label="Filter rules"
              placeholder="Filter by name, type or state"
            />
            <SavedViews screen="rules" />
          </>
        }
        empty={
          filters.count > 0 ? (
            <NoMatches
              noun="rules"
              definitions={definitions}
              filters={filters}
              probe={(values) => trpc.rules.list.queryOptions({ ...listInput(values), limit: 1 })}
            />
          ) : (
            <EmptyState
              kind="nothing-yet"
              title="No rules yet"
              description="A rule watches recorded topics for what should not happen. Before you save it you see where it would have fired."
              action={createButton}
              curl={createCommand(origin)}
            />
          )
        }
        error={query.error}
        onRetry={() => void query.refetch()}
        fetching={query.isPlaceholderData}
        hasMore={query.hasNextPage}
        loadingMore={query.isFetchingNextPage}
        onLoadMore={() => void query.fetchNextPage()}
      />
      <RuleDrawer
        uid={selected}
        row={rows?.find((rule) => rule.uid === selected)}
        actions={actions}
        onClose={() => setSelected(null)}
      />
      {actions.dialogs}
    </>
  );
}
