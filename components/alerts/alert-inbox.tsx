"use client";

import { useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { parseAsString, parseAsStringLiteral, useQueryState, useQueryStates } from "nuqs";
import { Suspense, useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { withDemoFilter } from "@/components/demo-fleet/demo-preference";
import { Button } from "@/components/kit/button";
import { useSelected } from "@/components/kit/drawer";
import { formatCompact, formatNumber } from "@/components/kit/format";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { PageHeader } from "@/components/kit/page-header";
import { Tabs } from "@/components/kit/tabs";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { inboxTabs, type InboxTab } from "@/domain/alerts/lifecycle";
import { InboxTable } from "./inbox-table";
import { type Counts, alertFilters, filterKeys } from "./query";

// Loaded when a test is requested.
const TestAlertDialog = lazyDialog(async () => (await import("./dialogs/test-alert-dialog")).TestAlertDialog);

const labels: Record<InboxTab, string> = {
  open: "Open",
  acknowledged: "Acknowledged",
  resolved: "Resolved",
  silenced: "Silenced",
};

function formatCount(counts: Counts | undefined, tab: InboxTab): string | undefined {
  if (!counts) return undefined;
  const count = tab === "silenced" ? counts.silenced + counts.snoozed : counts[tab];
  if (count >= counts.ceiling) return `${formatCompact(counts.ceiling)}+`;
  return formatNumber(count, 0);
}

const filterParsers = Object.fromEntries(filterKeys.map((key) => [key, parseAsString]));

/** The alert inbox: open, acknowledged, resolved and silenced alerts. The tab is in the address as `status`. */
export function AlertInbox() {
  const trpc = useTRPC();
  const [tab, setTab] = useQueryState(
    "status",
    parseAsStringLiteral(inboxTabs).withDefault("open").withOptions({ history: "push" }),
  );
  const [testing, setTesting] = useState(false);
  const reason = usePermissions().refusal();
  const [inAddress] = useQueryStates(filterParsers);
  const filterValues = withDemoFilter(inAddress, useDemoFilter());
  const [, select] = useSelected();
  const counts = useQuery(trpc.alerts.inboxCounts.queryOptions(alertFilters(filterValues))).data;
  return (
    <>
      <PageHeader
        title="Alerts"
        actions={
          <Button icon={<FlaskConical aria-hidden />} disabledReason={reason} onClick={() => setTesting(true)}>
            Test an alert
          </Button>
        }
      />
      <Tabs
        label="Alerts by state"
        layout="page"
        className="flex-1"
        value={tab}
        onValueChange={(next) => {
          // What was selected is in the list of the other tab.
          select(null);
          void setTab(next);
        }}
        tabs={inboxTabs.map((value) => ({
          value,
          label: labels[value],
          badge: formatCount(counts, value),
          content:
            value === tab ? (
              <InboxTable
                key={value}
                tab={value}
                filterValues={filterValues}
                counts={counts}
                onTest={() => setTesting(true)}
              />
            ) : null,
        }))}
      />
      <Suspense>{testing && <TestAlertDialog onClose={() => setTesting(false)} />}</Suspense>
    </>
  );
}
