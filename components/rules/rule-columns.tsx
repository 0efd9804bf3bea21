import { WithDemoMark } from "@/components/demo-fleet/demo-mark";
import { Badge } from "@/components/kit/badge";
import { formatNumber } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { Sparkline } from "@/components/kit/sparkline";
import { Switch } from "@/components/kit/switch";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { toActionDrafts } from "./draft";
import { ActionIcons, describeScope, type GroupNames } from "./labels";
import type { Rule } from "./query";

/** How often rules triggered on each of the last 30 days, oldest first, by uid; a missing rule did not trigger. */
type Activity = Readonly<Record<string, readonly number[]>>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function HitsPerDay({ days, max }: { days: readonly number[] | undefined; max: number }) {
  if (!days || sum(days) === 0) return <None />;
  return (
    <span className="flex items-center gap-2">
      <Sparkline values={days} max={max} width={72} label={`Hits per day over 30 days: ${sum(days)} in all`} />
      <span className="text-meta text-muted tabular-nums">{sum(days)}</span>
    </span>
  );
}

/** The most hits that one rule had on one day: what the lines of all rules are drawn by. */
const findMost = (activity: Activity | undefined): number => Math.max(1, ...Object.values(activity ?? {}).flat());

/** The columns; `activity` is undefined while it loads, `onToggle` turns a rule on or off. */
export const ruleColumns = ({
  activity,
  groups,
  onToggle,
  toggleReason,
}: {
  activity: Activity | undefined;
  groups: GroupNames;
  onToggle: (rule: Rule, enabled: boolean) => void;
  /** Why the person may not switch a rule. */
  toggleReason: (rule: Rule) => string | undefined;
}): readonly DataTableColumn<Rule>[] => [
  {
    id: "enabled",
    header: "On",
    width: 56,
    narrow: "trailing",
    cell: (rule) => (
      <span onClick={(event) => event.stopPropagation()}>
        <Switch
          checked={rule.enabled}
          disabledReason={toggleReason(rule)}
          aria-label={`${rule.name} is on`}
          onCheckedChange={(enabled) => onToggle(rule, enabled)}
        />
      </span>
    ),
  },
  {
    id: "name",
    header: "Name",
    minWidth: 160,
    required: true,
    narrow: "title",
    text: (rule) => rule.name + " ".repeat(9 * (Number(rule.demo) + Number(rule.builtin))),
    cell: (rule) => (
      <WithDemoMark of={rule} after={rule.builtin && <Badge className="shrink-0">Built in</Badge>}>
        <span className="truncate">{rule.name}</span>
      </WithDemoMark>
    ),
  },
  {
    id: "condition",
    header: "Condition",
    minWidth: 240,
    narrow: "meta",
    text: (rule) => rule.condition_text,
    cell: (rule) => (
      <span className="block truncate text-muted max-sm:max-w-[calc(100vw-8rem)]" title={rule.condition_text}>
        {rule.condition_text}
      </span>
    ),
  },
  {
    id: "actions",
    header: "Then",
    width: 136,
    cell: (rule) => <ActionIcons actions={toActionDrafts(rule.actions)} />,
  },
  {
    id: "scope",
    header: "Devices",
    width: 136,
    text: (rule) => describeScope(rule.scope, groups),
    cell: (rule) => <Truncate text={describeScope(rule.scope, groups)} />,
  },
  {
    id: "activity",
    header: "Hits, 30 days",
    hint: "Hits a day over the last 30 days, all rules on one scale.",
    width: 128,
    cell: (rule) => <HitsPerDay days={activity?.[rule.uid]} max={findMost(activity)} />,
  },
  {
    id: "noise",
    header: "A day",
    hint: "Hits a day over the last 30 days.",
    width: 72,
    align: "right",
    cell: (rule) =>
      activity ? <span className="tabular-nums">{formatNumber(sum(activity[rule.uid] ?? []) / 30, 1)}</span> : <None />,
  },
  {
    id: "last_hit_at",
    header: "Last hit",
    width: 96,
    align: "right",
    narrow: "meta",
    cell: (rule) => (rule.last_hit_at === null ? <None /> : <RelativeTime value={rule.last_hit_at} rich={false} />),
  },
  {
    id: "version",
    header: "Version",
    width: 76,
    hidden: true,
    align: "right",
    cell: (rule) => <span className="text-muted tabular-nums">v{rule.version}</span>,
  },
  { id: "updated_by", header: "Updated by", width: 112, hidden: true, cell: (rule) => rule.updated_by || <None /> },
];
