"use client";

import { List } from "lucide-react";
import type { ReactNode } from "react";
import { ButtonLink } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { SeverityStatus } from "@/components/product/status";
import type { InboxGrouping } from "@/domain/alerts/lifecycle";
import { AlertBody } from "./alert-body";
import { useShownAlert, type ShownAlert } from "./alert-drawer";
import { AlertStatusLine } from "./alert-facts";
import { AlertLinks, AlertSteps } from "./alert-steps";
import { GroupSteps } from "./group-steps";
import { alertTitle } from "./labels";
import type { AlertGroup } from "./query";
import type { Triage } from "./triage";

/** The frame of the pane: what is shown, what can be done about it, and below, scrolling by itself, the rest. */
function Pane(props: {
  title: string;
  subtitle?: ReactNode;
  links?: ReactNode;
  steps?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={props.title} className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex flex-col gap-2.5 border-b px-5 py-3">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <h2 className="text-section font-semibold wrap-anywhere">{props.title}</h2>
            <div className="mt-0.5 min-h-4 text-meta text-muted">{props.subtitle}</div>
          </div>
          <div className="flex min-h-7 items-center gap-1">{props.links}</div>
        </div>
        <div className="flex min-h-8 flex-wrap items-center gap-2">{props.steps}</div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{props.children}</div>
    </section>
  );
}

/** Before the first rows are there. */
export const EmptyPane = () => (
  <Pane title="Alert">
    <SkeletonText lines={8} />
  </Pane>
);

/** The selected alert beside the list, what can be done at its top. */
export function AlertPane({ uid, row, triage, menu, keyed }: ShownAlert) {
  const { query, detail, alert } = useShownAlert({ uid, row });
  return (
    <Pane
      title={alert ? alertTitle(alert) : "Alert"}
      subtitle={alert && <AlertStatusLine alert={alert} />}
      links={alert && <AlertLinks alert={alert} />}
      steps={alert && <AlertSteps alert={alert} triage={triage} menu={menu(alert)} keyed={keyed} />}
    >
      <AlertBody
        detail={detail}
        triage={triage}
        error={detail ? null : query.error}
        onRetry={() => void query.refetch()}
      />
    </Pane>
  );
}

interface GroupPaneProps {
  group: AlertGroup;
  by: InboxGrouping;
  triage: Triage;
  /** The list of its alerts alone. */
  href: string;
}

/** A group beside the list: how much of it there is, what can be done with all of it, and the alert that came last. */
export function GroupPane({ group, by, triage, href }: GroupPaneProps) {
  const newest = useShownAlert({ uid: group.newest_uid, row: undefined });
  const over = by === "rule" ? plural(group.devices, "device") : plural(group.rules, "rule");
  return (
    <Pane
      title={
        by === "rule"
          ? `${group.name} on ${group.devices === 1 && group.only !== null ? group.only : over}`
          : group.name
      }
      subtitle={
        <span className="inline-flex flex-wrap items-center gap-x-3 gap-y-1">
          <SeverityStatus severity={group.severity} strong />
          <span>
            {plural(group.count, "alert")} of {over}
          </span>
          <span>
            the last <RelativeTime value={group.newest_at} />
          </span>
        </span>
      }
      links={
        <ButtonLink href={href} size="sm" icon={<List aria-hidden />}>
          List these alerts
        </ButtonLink>
      }
      steps={<GroupSteps target={{ kind: "group", group, by }} triage={triage} />}
    >
      <h3 className="mb-3 text-meta text-subtle">
        The last of them{newest.alert && `, on ${newest.alert.device_name}`}
      </h3>
      <AlertBody
        detail={newest.detail}
        triage={triage}
        error={newest.detail ? null : newest.query.error}
        onRetry={() => void newest.query.refetch()}
      />
    </Pane>
  );
}
