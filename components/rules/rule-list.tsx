"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { ButtonLink } from "@/components/kit/button";
import { EmptyState } from "@/components/kit/empty-state";
import type { FilterDefinition } from "@/components/kit/filters";
import { useLatest } from "@/components/kit/latest";
import { PageHeader } from "@/components/kit/page-header";
import { nextPage } from "@/components/list/list-input";
import { ListTable } from "@/components/list/list-table";
import { useListPage } from "@/components/list/use-list-page";
import { useOrigin } from "@/components/product/origin";
import { usePermissions } from "@/components/product/permissions";
import { SavedViews } from "@/components/saved/saved-views";
import { useTRPC } from "@/components/trpc/client";
import { conditionKinds, conditionTypes } from "@/domain/conditions/registry";
import { guideHref } from "@/domain/docs/guides";
import { fleetPageSize } from "@/domain/limits";
import { listInput } from "./query";
import { useGroupNames } from "./rule-action-list";
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

const noRules = [] as const;

/** Every rule of the organization with its description and how often it triggers. */
export function RuleList() {
  const trpc = useTRPC();
  const origin = useOrigin();
  const list = useListPage({
    definitions,
    textKey: "search",
    query: (values) => trpc.rules.list.infiniteQueryOptions(listInput(values), nextPage),
    probe: (values) => trpc.rules.list.queryOptions({ ...listInput(values), limit: 1 }),
  });
  const uids = useMemo(() => list.all?.map(({ uid }) => uid).slice(0, fleetPageSize.max) ?? [], [list.all]);
  const activity = useQuery({
    ...trpc.rules.activity.queryOptions({ uids, days: 30 }),
    enabled: uids.length > 0,
    placeholderData: keepPreviousData,
  }).data;
  const groups = useGroupNames(list.all ?? noRules);
  const actions = useRuleActions((uid) => list.deselect([uid]));
  const toggle = useLatest(actions.toggle);
  const { refusal } = usePermissions();
  const columns = useMemo(
    () =>
      ruleColumns({
        activity,
        groups,
        onToggle: (rule, enabled) => void toggle(rule, enabled),
        toggleReason: (rule) => refusal({ author: rule.created_by_uid }),
      }),
    [activity, groups, toggle, refusal],
  );

  const createButton = (
    <ButtonLink href="/rules/new" variant="primary" icon={<Plus aria-hidden />} disabledReason={refusal()}>
      New rule
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Rules" actions={list.isEmpty ? undefined : createButton} />
      <ListTable
        {...list.table}
        list={list}
        id="rules"
        label="Rules"
        noun={["rule", "rules"]}
        columns={columns}
        rowLabel={(rule) => rule.name}
        href={(rule) => `/rules/${rule.uid}`}
        rowMenu={(rule) => actions.menu(rule, { open: true })}
        filterBar={{ label: "Filter rules", placeholder: "Filter by name, type or state" }}
        tools={
          <>
            <SavedViews screen="rules" />
          </>
        }
        empty={
          <EmptyState
            kind="nothing-yet"
            title="No rules yet"
            description="A rule watches recorded topics for what should not happen. Before you save it, you see where it would have triggered."
            action={createButton}
            curl={{ command: createCommand(origin), guide: guideHref("rules") }}
          />
        }
      />
      <RuleDrawer uid={list.selected} row={list.selectedRow} actions={actions} onClose={() => list.select(null)} />
      {actions.dialogs}
    </>
  );
}
