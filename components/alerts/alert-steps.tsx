"use client";

import { Check, CircleCheckBig, Ellipsis, Undo2 } from "lucide-react";
import { Button, ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { AddToDataset } from "@/components/moments/add-to-dataset";
import { LabelThese } from "@/components/moments/label-these";
import { toRange } from "@/components/moments/source";
import { parseDateTimeNs } from "@/domain/time/nanoseconds";
import { isTest } from "./labels";
import type { Alert } from "./query";
import type { Triage } from "./triage";

/** The steps an alert can take next, the likeliest first, with their keys. */
export function AlertSteps({ alert, triage, hints = true }: { alert: Alert; triage: Triage; hints?: boolean }) {
  const targets = [{ kind: "alert" as const, alert }];
  const hint = (keys: string, inverted = false) =>
    hints && (
      <span className="max-sm:hidden">
        <KeyHint keys={keys} inverted={inverted} decorative />
      </span>
    );
  const { recording_id: recordingId } = alert;
  const toDataset = recordingId !== null && !isTest(alert) && (
    <>
      <AddToDataset
        key={alert.uid}
        compact
        getSource={() => ({
          kind: "range",
          recordingId,
          alertId: alert.uid,
          ruleId: alert.rule_id,
          ...toRange(parseDateTimeNs(alert.triggered_at) ?? 0n),
        })}
      />
      <LabelThese
        key={`label ${alert.uid}`}
        source={{ kind: "many", of: { alerts: [alert.uid] }, label: "the alert" }}
        name={alert.rule_name}
      />
    </>
  );
  if (alert.status === "resolved") {
    return (
      <>
        <Button icon={<Undo2 aria-hidden />} disabledReason={triage.reason} onClick={() => void triage.reopen(targets)}>
          Reopen
        </Button>
        {toDataset}
      </>
    );
  }
  return (
    <>
      {alert.status === "open" && (
        <Button
          variant="primary"
          icon={<Check aria-hidden />}
          disabledReason={triage.reason}
          onClick={() => void triage.acknowledge(targets)}
        >
          Acknowledge {hint("a", true)}
        </Button>
      )}
      <Button
        variant={alert.status === "open" ? "secondary" : "primary"}
        icon={<CircleCheckBig aria-hidden />}
        disabledReason={triage.reason}
        onClick={() => triage.resolve(targets)}
      >
        Resolve {hint("r", alert.status !== "open")}
      </Button>
      {toDataset}
    </>
  );
}

/** Links to an alert and the menu of everything else, at the head of its drawer or pane. */
export function AlertLinks({ alert, menu }: { alert: Alert; menu: (alert: Alert) => MenuItem[] }) {
  return (
    <>
      <CopyLink compact size="sm" href={`/alerts/${alert.uid}`} />
      <ButtonLink href={`/alerts/${alert.uid}`} size="sm">
        Open
      </ButtonLink>
      <Menu
        items={menu(alert)}
        trigger={<IconButton label={`Actions for ${alert.rule_name}`} size="sm" icon={<Ellipsis aria-hidden />} />}
      />
    </>
  );
}
