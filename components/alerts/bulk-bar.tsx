"use client";

import { Check, ChevronDown, CircleCheckBig, Undo2 } from "lucide-react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { Menu } from "@/components/kit/menu";
import { useShortcuts } from "@/components/kit/shortcuts";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { LabelThese } from "@/components/moments/label-these";
import { refuseShortcut } from "@/components/product/permissions";
import type { InboxTab } from "@/domain/alerts/lifecycle";
import { useAssignItems, snoozeItems } from "./menus";
import type { Target, Triage } from "./triage";

/** What can be done with the ticked rows; the same keys as for one row act on all of them. */
export function BulkBar({
  targets,
  triage,
  tab,
  clear,
}: {
  targets: readonly Target[];
  triage: Triage;
  tab: InboxTab;
  clear: () => void;
}) {
  const act = (does: (targets: readonly Target[]) => unknown) => () => {
    void does(targets);
    clear();
  };
  const assign = useAssignItems((name) => act((all) => triage.assign(all, name))());
  const resolved = tab === "resolved";
  const count = targets.reduce((sum, target) => sum + (target.kind === "group" ? target.group.count : 1), 0);
  const acknowledge = act(triage.acknowledge);
  const resolve = () => triage.resolve(targets);
  const { reason } = triage;
  const alerts = targets.flatMap((target) => (target.kind === "alert" ? [target.alert.uid] : []));
  const ruleNames = [
    ...new Set(targets.flatMap((target) => (target.kind === "alert" ? [target.alert.rule_name] : []))),
  ];
  useShortcuts(
    (resolved
      ? []
      : [
          ...(tab === "acknowledged"
            ? []
            : [{ keys: "a", label: "Acknowledge the selected", group: "Triage", hidden: true, run: acknowledge }]),
          { keys: "r", label: "Resolve the selected", group: "Triage", hidden: true, run: resolve },
          {
            keys: "i",
            label: "Assign the selected to me",
            group: "Triage",
            hidden: true,
            run: act((all) => triage.assign(all, "me")),
          },
        ]
    ).map((each) => refuseShortcut(each, reason)),
  );
  return (
    <>
      {targets.some((target) => target.kind === "group") && (
        <span className="text-table text-muted">{plural(count, "alert")}</span>
      )}
      {tab !== "acknowledged" && !resolved && (
        <Button icon={<Check aria-hidden />} disabledReason={reason} onClick={acknowledge}>
          Acknowledge
        </Button>
      )}
      {!resolved && (
        <Button icon={<CircleCheckBig aria-hidden />} disabledReason={reason} onClick={resolve}>
          Resolve
        </Button>
      )}
      {(resolved || tab === "acknowledged") && (
        <Button icon={<Undo2 aria-hidden />} disabledReason={reason} onClick={act(triage.reopen)}>
          Reopen
        </Button>
      )}
      {alerts.length > 0 && (
        <>
          <AddToDataset getSource={() => ({ kind: "many", of: { alerts }, label: plural(alerts.length, "alert") })} />
          <LabelThese
            source={{ kind: "many", of: { alerts }, label: plural(alerts.length, "alert") }}
            name={ruleNames.length === 1 ? (ruleNames[0] ?? "Alerts") : "Alerts"}
          />
        </>
      )}
      <Menu
        align="start"
        items={assign}
        disabledReason={reason}
        trigger={<Button icon={<ChevronDown aria-hidden />}>Assign</Button>}
      />
      {!resolved && (
        <Menu
          align="start"
          disabledReason={reason}
          items={snoozeItems((until) => act((all) => triage.snooze(all, until))(), tab === "silenced")}
          trigger={<Button icon={<ChevronDown aria-hidden />}>Snooze</Button>}
        />
      )}
    </>
  );
}
