"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { formatDuration } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { Menu } from "@/components/kit/menu";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { AlertLabels, useAlertLabels } from "@/components/moments/alert-labels";
import { DatasetMarks } from "@/components/moments/dataset-marks";
import { SeverityStatus } from "@/components/product/status";
import { UidChip } from "@/components/product/uid-chip";
import { momentHref } from "./alert-plot";
import { DeliveryState } from "./inbox-cells";
import { isTest, reasonLabels, statusLabels } from "./labels";
import { useAssignItems } from "./menus";
import type { Alert, AlertDetail } from "./query";
import type { Triage } from "./triage";

const link = "rounded-control text-accent-text hover:underline";

/** The state as text: who acknowledged or resolved it and when, snoozed until when, muted by what. */
function AlertState({ alert }: { alert: Alert }) {
  const parts: ReactNode[] = [
    alert.status === "acknowledged" && alert.acknowledged_by ? (
      <>
        Acknowledged by {alert.acknowledged_by}, <RelativeTime value={alert.acknowledged_at} />
      </>
    ) : alert.status === "resolved" ? (
      <>
        {alert.resolution_reason ? (reasonLabels[alert.resolution_reason] ?? "Resolved") : "Resolved"}
        {alert.resolved_by && `, by ${alert.resolved_by}`}, <RelativeTime value={alert.resolved_at} />
      </>
    ) : (
      statusLabels[alert.status]
    ),
    alert.silenced && (
      <Link key="silenced" href="/settings/silences?state=active" className={link}>
        silenced
      </Link>
    ),
    alert.snoozed_until && (
      <>
        snoozed, back <RelativeTime value={alert.snoozed_until} />
      </>
    ),
  ].filter(Boolean);
  return (
    <span>
      {parts.map((part, at) => (
        <span key={at}>
          {at > 0 && ", "}
          {part}
        </span>
      ))}
    </span>
  );
}

/** Severity and state in one line, for the head of a drawer or page. */
export function AlertStatusLine({ alert, className }: { alert: Alert; className?: string }) {
  return (
    <span className={className}>
      <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
        <SeverityStatus severity={alert.severity} strong />
        <AlertState alert={alert} />
      </span>
    </span>
  );
}

/** The assignee, with a menu to change it. */
function Assignee({ alert, triage }: { alert: Alert; triage: Triage }) {
  const items = useAssignItems((name) => void triage.assign([{ kind: "alert", alert }], name));
  return (
    <Menu
      align="start"
      items={items}
      disabledReason={triage.reason}
      trigger={
        <Button
          variant="ghost"
          size="sm"
          className="-my-1 -ml-2 h-6 font-normal text-foreground"
          aria-label={alert.assignee ? `Assigned to ${alert.assignee}, change` : "Assign"}
        >
          {alert.assignee ?? <span className="text-accent-text">Assign</span>}
        </Button>
      }
    />
  );
}

/** Names and values of an alert: device, rule and version, recording, times, assignee. */
export function AlertFacts({ alert, triage }: { alert: AlertDetail; triage: Triage }) {
  const test = isTest(alert);
  // A recording is uploaded some time after what it shows: nobody could have resolved the alert before it was found.
  const opened = alert.recording_id === null ? alert.triggered_at : alert.created_at;
  const lasted = alert.resolved_at ? Date.parse(alert.resolved_at) - Date.parse(opened) : null;
  const href = momentHref(alert);
  const labelled = useAlertLabels(alert.uid, href !== null);
  return (
    <KeyValue
      items={[
        [
          "Device",
          test ? (
            <None key="device" />
          ) : (
            <Link key="device" href={`/devices/${alert.device_id}`} className={link}>
              {alert.device_name}
            </Link>
          ),
        ],
        [
          "Rule",
          test ? (
            "None, sent by hand"
          ) : (
            <span key="rule">
              <Link href={`/rules/${alert.rule_id}`} className={link}>
                {alert.rule_name}
              </Link>{" "}
              <Link
                href={`/rules/${alert.rule_id}?tab=versions`}
                className="rounded-control text-muted hover:underline"
              >
                version {alert.rule_version}
              </Link>
            </span>
          ),
        ],
        ["Assignee", <Assignee key="assignee" alert={alert} triage={triage} />],
        ...(href
          ? [
              [
                "Recording",
                <Link key="recording" href={href} className={link}>
                  Open 5 s before it triggered
                </Link>,
              ] as const,
            ]
          : []),
        ...(href ? [["Datasets", <DatasetMarks key="datasets" kind="alerts" uid={alert.uid} />] as const] : []),
        ...(labelled.length > 0
          ? [["Labelled", <AlertLabels key="labelled" uid={alert.uid} labelled={labelled} />] as const]
          : []),
        ["Triggered", <InstantTime key="triggered" value={alert.triggered_at} precision="millisecond" />],
        ...(alert.recording_id ? [["Found", <RelativeTime key="found" value={alert.created_at} />] as const] : []),
        ...(lasted === null ? [] : [["Open for", formatDuration(lasted)] as const]),
        ["Times", alert.occurrence_count > 1 ? `×${alert.occurrence_count}` : "Once"],
        ["Messages", <DeliveryState key="delivery" delivery={alert.delivery} />],
        ...(alert.note && alert.note !== "auto"
          ? [
              [
                "Note",
                <span key="note" className="whitespace-pre-wrap">
                  {alert.note}
                </span>,
              ] as const,
            ]
          : []),
        ["Uid", <UidChip key="uid" uid={alert.uid} max={24} />],
      ]}
    />
  );
}
