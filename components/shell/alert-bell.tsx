"use client";

import { useQuery } from "@tanstack/react-query";
import { Bell } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { IconButton } from "@/components/kit/icon-button";
import { Popover } from "@/components/kit/popover";
import { SkeletonText } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";

const maxShown = 8;

/**
 * The newest open critical and error alerts that are not snoozed; a mark shows that there are some.
 */
export function AlertBell() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const [open, setOpen] = useState(false);
  const { data } = useQuery({
    ...trpc.alerts.inbox.queryOptions({
      ...shown,
      severity: "critical,error",
      tab: "open",
      order: "newest",
      limit: maxShown,
    }),
    staleTime: 30_000,
  });
  const alerts = data?.results;
  const some = (alerts?.length ?? 0) > 0;
  return (
    <Popover
      title="Open critical and error alerts"
      showTitle
      open={open}
      onOpenChange={setOpen}
      className="w-88"
      trigger={
        <IconButton
          label={some ? "Alerts: some critical or error alerts are open" : "Alerts: no critical or error alert is open"}
          icon={
            <span className="relative">
              <Bell aria-hidden strokeWidth={1.75} />
              {some && (
                <span
                  aria-hidden
                  className="absolute -top-0.5 -right-0.5 size-2 rounded-full border border-background bg-critical"
                />
              )}
            </span>
          }
        />
      }
    >
      {!alerts ? (
        <SkeletonText lines={3} />
      ) : alerts.length === 0 ? (
        <p className="text-table text-muted">None. Nothing urgent is open.</p>
      ) : (
        <ul className="-mx-1">
          {alerts.map((alert) => (
            <li key={alert.uid}>
              <Link
                href={`/alerts/${alert.uid}`}
                onClick={() => setOpen(false)}
                className="flex flex-col gap-0.5 rounded-control px-1 py-1.5 hover:bg-hover"
              >
                <Status tone={alert.severity}>{alert.message}</Status>
                <span className="flex justify-between gap-3 pl-4 text-meta text-subtle">
                  <span className="flex min-w-0 items-center gap-2">
                    <span className="truncate">{alert.device_name}</span>
                    <DemoMark of={alert} />
                  </span>
                  <RelativeTime value={alert.triggered_at} rich={false} className="shrink-0" />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link
        href="/alerts?severity=critical,error"
        onClick={() => setOpen(false)}
        className="mt-2 block border-t pt-2 text-table text-accent-text hover:underline"
      >
        Open the inbox
      </Link>
    </Popover>
  );
}
