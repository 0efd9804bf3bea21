"use client";

import { useQuery } from "@tanstack/react-query";
import { Check, CircleCheckBig, Ellipsis, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { Drawer } from "@/components/kit/drawer";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { Menu, type MenuItem } from "@/components/kit/menu";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { AlertEvidence } from "./alert-evidence";
import { AlertFacts, AlertStatusLine } from "./alert-facts";
import { AlertHistory } from "./alert-history";
import { AlertPlot } from "./alert-plot";
import { AlertTimeline } from "./alert-timeline";
import { CommentForm } from "./comment-form";
import type { Alert } from "./query";
import type { Triage } from "./triage";

export interface AlertDrawerProps {
  /** The alert shown; null closes the drawer. */
  uid: string | null;
  /** The same alert as the list has it, shown while the detail loads. */
  row: Alert | undefined;
  triage: Triage;
  menu: (alert: Alert) => MenuItem[];
  onClose: () => void;
}

/** A part of an alert under its heading. */
function AlertPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-2 text-table font-semibold">{title}</h3>
      {children}
    </section>
  );
}

/** The steps an alert can take next, the likeliest first, with their keys. */
export function AlertSteps({ alert, triage, hints = true }: { alert: Alert; triage: Triage; hints?: boolean }) {
  const targets = [{ kind: "alert" as const, alert }];
  const hint = (keys: string, inverted = false) =>
    hints && (
      <span className="max-sm:hidden">
        <KeyHint keys={keys} inverted={inverted} decorative />
      </span>
    );
  if (alert.status === "resolved") {
    return (
      <Button icon={<Undo2 aria-hidden />} disabledReason={triage.reason} onClick={() => void triage.reopen(targets)}>
        Reopen
      </Button>
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
    </>
  );
}

/** An alert beside the list: evidence, plot, earlier alerts, timeline. */
export function AlertDrawer({ uid, row, triage, menu, onClose }: AlertDrawerProps) {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.alerts.get.queryOptions({ uid: uid ?? "" }), enabled: uid !== null });
  const detail = query.data?.uid === uid ? query.data : undefined;
  const alert = row ?? detail;
  return (
    <Drawer
      open={uid !== null}
      onClose={onClose}
      title={alert?.rule_name ?? "Alert"}
      subtitle={alert && <AlertStatusLine alert={alert} />}
      actions={
        alert && (
          <>
            <CopyLink compact size="sm" href={`/alerts/${alert.uid}`} />
            <ButtonLink href={`/alerts/${alert.uid}`} size="sm">
              Open
            </ButtonLink>
            <Menu
              items={menu(alert)}
              trigger={
                <IconButton label={`Actions for ${alert.rule_name}`} size="sm" icon={<Ellipsis aria-hidden />} />
              }
            />
          </>
        )
      }
      footer={alert && <AlertSteps alert={alert} triage={triage} />}
    >
      {detail ? (
        <div className="flex flex-col gap-6" key={detail.uid}>
          <p className="text-body wrap-anywhere">{detail.message}</p>
          <AlertPart title="What triggered it">
            <AlertEvidence alert={detail} />
          </AlertPart>
          {detail.recording_id && (
            <AlertPart title="Around that moment">
              <AlertPlot alert={detail} />
            </AlertPart>
          )}
          <AlertFacts alert={detail} triage={triage} />
          <AlertPart title="This rule on this device before">
            <AlertHistory uid={detail.uid} />
          </AlertPart>
          <AlertPart title="Timeline">
            <AlertTimeline uid={detail.uid} />
          </AlertPart>
          <CommentForm uid={detail.uid} />
        </div>
      ) : query.error ? (
        <ErrorState error={query.error} title="This alert could not be loaded" onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonText lines={8} />
      )}
    </Drawer>
  );
}
