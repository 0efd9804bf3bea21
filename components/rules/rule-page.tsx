"use client";

import { useQuery } from "@tanstack/react-query";
import { Ellipsis, Pencil } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Badge } from "@/components/kit/badge";
import { ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import { PageBody, PageHeader, usePageTitle } from "@/components/kit/page-header";
import { Switch } from "@/components/kit/switch";
import { Tabs, useTab } from "@/components/kit/tabs";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { LabelThese, type LabelSource } from "@/components/moments/label-these";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { Status } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { useTRPC } from "@/components/trpc/client";
import { isOnHeartbeats, toActionDrafts, toConditionDraft } from "./draft";
import { ActionIcons, describeScope } from "./labels";
import { RuleAlerts } from "./live/rule-alerts";
import { RuleLiveState } from "./live/rule-live-state";
import { PreviewPane } from "./preview-pane";
import { useGroupNames } from "./rule-action-list";
import { RuleEvaluations } from "./rule-evaluations";
import { RuleHitTable } from "./rule-hits";
import { RuleNoise } from "./rule-noise";
import { RuleVersions } from "./rule-versions";
import { RunProgress } from "./run-progress";
import { useRuleActions } from "./use-rule-actions";

const list = { label: "Rules", href: "/rules" };
const tabs = ["hits", "alerts", "preview", "versions", "evaluations", "noise"] as const;
/** Of a rule about heartbeats, which is evaluated on no recording. */
const liveTabs: readonly (typeof tabs)[number][] = ["alerts", "preview", "versions"];

/** Everything about one rule: its hits, preview, versions, evaluations and noise. */
export function RulePage({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [tab, setTab] = useTab(tabs);
  const [deleted, setDeleted] = useState(false);
  const query = useQuery({ ...trpc.rules.get.queryOptions({ uid }), enabled: !deleted });
  const actions = useRuleActions(() => {
    setDeleted(true);
    router.push("/rules");
  });
  const rule = query.data;
  const reason = usePermissions().refusal({ author: rule?.created_by_uid ?? null });
  const groups = useGroupNames(rule ? [rule] : []);
  usePageTitle(rule?.name);

  if (isUnavailable(query)) {
    return (
      <PageFailure
        title={rule?.name}
        noun="rule"
        deletedMessage="This rule was deleted. Its alerts are kept."
        list={list}
        query={query}
      />
    );
  }
  if (!rule) return null;
  const isLive = isOnHeartbeats(toConditionDraft(rule.condition));
  const hits: LabelSource = {
    kind: "many",
    of: { rule_id: uid },
    label: rule.hit_count === 1 ? "the hit" : `all ${rule.hit_count} hits`,
  };
  return (
    <>
      <PageHeader
        title={rule.name}
        trail={[list]}
        status={
          <span className="flex items-center gap-2">
            <Switch
              checked={rule.enabled}
              disabledReason={reason}
              aria-label={`${rule.name} is on`}
              onCheckedChange={(enabled) => void actions.toggle(rule, enabled)}
            />
            {rule.builtin && <Badge>Built in</Badge>}
            {rule.demo && <Badge>Demo</Badge>}
          </span>
        }
        meta={
          <>
            <span className="text-foreground">{rule.condition_text}</span>
            <span>{describeScope(rule.scope, groups)}</span>
            <ActionIcons actions={toActionDrafts(rule.actions)} />
            <span className="tabular-nums">v{rule.version}</span>
            {rule.owner !== null && <span>Owner {rule.owner}</span>}
            <UidChip uid={rule.uid} />
          </>
        }
        actions={
          <>
            <CopyLink compact />
            <ButtonLink
              href={`/rules/${uid}/edit`}
              icon={<Pencil aria-hidden />}
              className="max-sm:hidden"
              disabledReason={reason}
            >
              Edit
            </ButtonLink>
            <Menu
              items={actions.menu(rule)}
              trigger={
                <IconButton label={`Actions for ${rule.name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        }
      />
      {rule.warnings.length > 0 && (
        <ul className="flex flex-col gap-1 px-4 pb-2 text-table sm:px-6">
          {rule.warnings.map((warning) => (
            <li key={warning}>
              <Status tone="warning" className="whitespace-normal!">
                {warning}
              </Status>
            </li>
          ))}
        </ul>
      )}
      {isLive ? (
        <div className="px-4 pb-3 sm:px-6">
          <RuleLiveState uid={uid} enabled={rule.enabled} />
        </div>
      ) : (
        <RunProgress uid={uid} />
      )}
      <Tabs
        label="About this rule"
        layout="page"
        className="flex-1"
        value={isLive && !liveTabs.includes(tab) ? "alerts" : !isLive && tab === "alerts" ? "hits" : tab}
        onValueChange={(next) => void setTab(next)}
        tabs={[
          { value: "alerts" as const, label: "Alerts", content: <RuleAlerts uid={uid} /> },
          {
            value: "hits" as const,
            label: "Hits",
            badge: rule.hit_count || undefined,
            content: (
              <RuleHitTable
                uid={uid}
                condition={rule.condition}
                toolbar={
                  rule.hit_count > 0 && (
                    <span className="flex flex-wrap gap-2">
                      <AddToDataset getSource={() => hits} />
                      <LabelThese source={hits} name={rule.name} />
                    </span>
                  )
                }
              />
            ),
          },
          {
            value: "preview" as const,
            label: "Preview",
            content: (
              <PageBody>
                <PreviewPane condition={toConditionDraft(rule.condition)} scope={rule.scope} outcomesOf={uid} />
              </PageBody>
            ),
          },
          {
            value: "versions" as const,
            label: "Versions",
            content: <RuleVersions uid={uid} current={rule.version} reason={reason} />,
          },
          { value: "evaluations" as const, label: "Evaluations", content: <RuleEvaluations uid={uid} /> },
          { value: "noise" as const, label: "Noise", content: <RuleNoise rule={rule} reason={reason} /> },
        ].filter(({ value }) => (isLive ? liveTabs.includes(value) : value !== "alerts"))}
      />
      {actions.dialogs}
    </>
  );
}
