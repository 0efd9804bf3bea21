"use client";

import { BellOff, Check, CircleCheckBig, Clock, Ellipsis, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, ButtonLink, type ButtonProps } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { toRange } from "@/components/moments/source";
import { useMomentSteps } from "@/components/moments/use-moment-steps";
import { parseDateTimeNs } from "@/domain/time/nanoseconds";
import { isTest } from "./labels";
import { snoozeItems } from "./menus";
import type { Alert } from "./query";
import type { Triage } from "./triage";

interface AlertStepsProps {
  alert: Alert;
  triage: Triage;
  /** What else can be done with it. */
  menu: MenuItem[];
  /** Whether the key `d` is for this alert: while rows are ticked it is for those. */
  keyed?: boolean;
}

/** A step that keeps its icon alone on narrow screens. */
function QuietStep({
  word,
  icon,
  keys,
  ...button
}: Omit<ButtonProps, "children" | "title"> & { word: string; icon: ReactNode; keys?: string }) {
  return (
    <Button {...button} icon={icon} title={word}>
      <span className="max-xl:sr-only">{word}</span>
      {keys && (
        <span className="max-xl:hidden">
          <KeyHint keys={keys} decorative />
        </span>
      )}
    </Button>
  );
}

/** The steps an alert can take next, the likeliest first, with their keys, and the menu of everything else. */
export function AlertSteps({ alert, triage, menu, keyed = true }: AlertStepsProps) {
  const targets = [{ kind: "alert" as const, alert }];
  const hint = (keys: string, inverted = false) => (
    <span className="max-sm:hidden">
      <KeyHint keys={keys} inverted={inverted} decorative />
    </span>
  );
  const more = <MoreSteps key={alert.uid} alert={alert} menu={menu} keyed={keyed} />;
  if (alert.status === "resolved") {
    return (
      <>
        <Button icon={<Undo2 aria-hidden />} disabledReason={triage.reason} onClick={() => void triage.reopen(targets)}>
          Reopen
        </Button>
        {more}
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
      {!isTest(alert) && (
        <QuietStep
          word="Silence"
          keys="s"
          icon={<BellOff aria-hidden />}
          disabledReason={triage.reason}
          onClick={() => triage.silence(targets)}
        />
      )}
      <Menu
        align="start"
        disabledReason={triage.reason}
        items={snoozeItems((until) => void triage.snooze(targets, until), alert.snoozed_until !== null)}
        trigger={<QuietStep word="Snooze" icon={<Clock aria-hidden />} />}
      />
      {more}
    </>
  );
}

/** Everything else that can be done with an alert, also with its moment as training data. */
function MoreSteps({ alert, menu, keyed }: { alert: Alert; menu: MenuItem[]; keyed: boolean }) {
  const { recording_id: recordingId } = alert;
  const hasMoment = recordingId !== null && !isTest(alert);
  const moments = useMomentSteps(
    hasMoment ? { kind: "many", of: { alerts: [alert.uid] }, label: "the alert" } : null,
    alert.rule_name,
    {
      keyed,
      range: hasMoment
        ? {
            kind: "range",
            recordingId,
            alertId: alert.uid,
            ruleId: alert.rule_id,
            ...toRange(parseDateTimeNs(alert.triggered_at) ?? 0n),
          }
        : null,
    },
  );
  return (
    <>
      <Menu
        items={moments.items.length > 0 ? [...menu, "separator", ...moments.items] : menu}
        trigger={
          <IconButton label={`Actions for ${alert.rule_name}`} variant="secondary" icon={<Ellipsis aria-hidden />} />
        }
      />
      {moments.parts}
    </>
  );
}

/** The way to an alert's page and its address, at the head of its drawer or pane. */
export function AlertLinks({ alert }: { alert: Alert }) {
  return (
    <>
      <CopyLink compact size="sm" href={`/alerts/${alert.uid}`} />
      <ButtonLink href={`/alerts/${alert.uid}`} size="sm">
        Open
      </ButtonLink>
    </>
  );
}
