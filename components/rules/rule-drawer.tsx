"use client";

import { useQuery } from "@tanstack/react-query";
import { ButtonLink } from "@/components/kit/button";
import { KeyValue } from "@/components/kit/key-value";
import { RelativeTime } from "@/components/kit/time";
import { usePermissions } from "@/components/product/permissions";
import { ResourceDrawer } from "@/components/product/resource-drawer";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { isOnHeartbeats, toActionDrafts, toConditionDraft } from "./draft";
import { describeScope } from "./labels";
import { RuleLiveState } from "./live/rule-live-state";
import type { Rule } from "./query";
import { RuleActionList, useGroupNames } from "./rule-action-list";
import { RuleHits } from "./rule-hits";
import type { RuleActions } from "./use-rule-actions";

export interface RuleDrawerProps {
  /** The rule shown; null closes the drawer. */
  uid: string | null;
  /** The same rule as the list has it, shown while the detail loads. */
  row: Rule | undefined;
  actions: RuleActions;
  onClose: () => void;
}

/** A rule at a glance, beside the list. */
export function RuleDrawer({ uid, row, actions, onClose }: RuleDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.rules.get.queryOptions({ uid: uid ?? "" }),
    enabled: uid !== null && row === undefined,
  });
  const rule = row ?? query.data;
  const { refusal } = usePermissions();
  const groups = useGroupNames(rule ? [rule] : []);
  return (
    <ResourceDrawer<Rule>
      uid={uid}
      noun="rule"
      resource={rule}
      getName={(rule) => rule.name}
      subtitle={(rule) => <span>{rule.enabled ? "On" : "Off"}</span>}
      links={(rule) => (
        <>
          <ButtonLink href={`/rules/${rule.uid}`} size="sm">
            Open
          </ButtonLink>
          <ButtonLink
            href={`/rules/${rule.uid}/edit`}
            size="sm"
            disabledReason={refusal({ author: rule.created_by_uid })}
          >
            Edit
          </ButtonLink>
        </>
      )}
      menu={(rule) => actions.menu(rule)}
      query={query}
      onClose={onClose}
    >
      {(rule) => (
        <>
          <p className="text-body">{rule.condition_text}</p>
          <KeyValue
            items={[
              ["Devices", describeScope(rule.scope, groups)],
              ["Then", <RuleActionList key="actions" actions={toActionDrafts(rule.actions)} />],
              ["Hits", rule.hit_count.toLocaleString("en-US")],
              ["Last hit", <RelativeTime key="hit" value={rule.last_hit_at} />],
              ["Version", `v${rule.version}`],
              ["Updated", <RelativeTime key="updated" value={rule.updated_at} />],
              ["Updated by", rule.updated_by || null],
              ["Uid", <UidChip key="uid" uid={rule.uid} max={24} />],
            ]}
          />
          {!isOnHeartbeats(toConditionDraft(rule.condition)) && (
            <section>
              <h3 className="mb-2 text-table font-semibold">Latest hits</h3>
              <RuleHits rule={rule} max={8} />
            </section>
          )}
          {isOnHeartbeats(toConditionDraft(rule.condition)) && <RuleLiveState uid={rule.uid} enabled={rule.enabled} />}
        </>
      )}
    </ResourceDrawer>
  );
}
