"use client";

import { BellOff, Check, CircleCheckBig, Clock, Ellipsis, Undo2, UserRound } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { Button, type ButtonProps } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { useLatest } from "@/components/kit/latest";
import { Menu } from "@/components/kit/menu";
import { useShortcuts } from "@/components/kit/shortcuts";
import { useMomentSteps } from "@/components/moments/use-moment-steps";
import { refuseShortcut } from "@/components/product/permissions";
import type { InboxTab } from "@/domain/alerts/lifecycle";
import { useAssignItems, snoozeItems } from "./menus";
import type { Target } from "./query";
import { offerSilence } from "./silence-matchers";
import { countAlerts, type Triage } from "./triage";

/** A step of the bar that keeps its icon alone where the list is narrow. */
function Step({ word, icon, ...button }: Omit<ButtonProps, "children" | "title"> & { word: string; icon: ReactNode }) {
  return (
    <Button {...button} icon={icon} title={word}>
      <span className="@max-[760px]/list:sr-only">{word}</span>
    </Button>
  );
}

/** What can be done with the ticked rows, in one row; the same keys as for one row act on all of them. */
export function BulkBar({
  targets,
  triage,
  tab,
  clear,
  onShown,
}: {
  targets: readonly Target[];
  triage: Triage;
  tab: InboxTab;
  clear: () => void;
  /** Called with true when it appears, and with false when it goes. */
  onShown: (isShown: boolean) => void;
}) {
  const report = useLatest(onShown);
  useEffect(() => {
    report(true);
    return () => report(false);
  }, [report]);
  const act = (does: (targets: readonly Target[]) => unknown) => () => {
    void does(targets);
    clear();
  };
  const assign = useAssignItems((name) => act((all) => triage.assign(all, name))());
  const resolved = tab === "resolved";
  const count = countAlerts(targets);
  const acknowledge = act(triage.acknowledge);
  const resolve = () => triage.resolve(targets);
  const offer = offerSilence(targets);
  const silence = () => triage.silence(targets);
  const { reason } = triage;
  const alerts = targets.flatMap((target) => (target.kind === "alert" ? [target.alert.uid] : []));
  const ruleNames = [
    ...new Set(targets.flatMap((target) => (target.kind === "alert" ? [target.alert.rule_name] : []))),
  ];
  const moments = useMomentSteps(
    alerts.length > 0 ? { kind: "many", of: { alerts }, label: plural(alerts.length, "alert") } : null,
    ruleNames.length === 1 ? (ruleNames[0] ?? "Alerts") : "Alerts",
  );
  useShortcuts(
    (resolved
      ? []
      : [
          ...(tab === "acknowledged"
            ? []
            : [{ keys: "a", label: "Acknowledge the selected", group: "Triage", hidden: true, run: acknowledge }]),
          { keys: "r", label: "Resolve the selected", group: "Triage", hidden: true, run: resolve },
          { keys: "s", label: "Silence the selected", group: "Triage", hidden: true, run: silence },
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
      {!resolved && (
        <>
          <Menu
            align="start"
            disabledReason={reason}
            items={snoozeItems((until) => act((all) => triage.snooze(all, until))(), tab === "silenced")}
            trigger={<Step word="Snooze" icon={<Clock aria-hidden />} />}
          />
          <Step
            word="Silence"
            icon={<BellOff aria-hidden />}
            disabledReason={reason ?? ("refusal" in offer ? offer.refusal : undefined)}
            onClick={silence}
          />
        </>
      )}
      <Menu
        align="start"
        items={assign}
        disabledReason={reason}
        trigger={<Step word="Assign" icon={<UserRound aria-hidden />} />}
      />
      {moments.items.length > 0 && (
        <Menu
          items={moments.items}
          trigger={<IconButton label="More for the selected" variant="secondary" icon={<Ellipsis aria-hidden />} />}
        />
      )}
      {moments.parts}
    </>
  );
}
