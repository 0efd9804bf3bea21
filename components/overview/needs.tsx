"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { plural } from "@/components/kit/format";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { RelativeTime } from "@/components/kit/time";
import { ErrorState } from "@/components/product/error-state";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { counted, refreshMs, type Needs as NeedsData } from "./query";

/** What needs somebody now: the worst open alerts by rule, devices that are lost, recordings that failed. */
export function Needs() {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.overview.needs.queryOptions(), refetchInterval: refreshMs });
  return (
    <Section title="Needs you now">
      {query.error && !query.data ? (
        <ErrorState
          error={query.error}
          title="What needs somebody could not be loaded"
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <Columns needs={query.data} />
      ) : (
        <Skeleton className="h-40" />
      )}
    </Section>
  );
}

function Columns({ needs }: { needs: NeedsData }) {
  const { alerts, offline, failed, ceiling } = needs;
  const nothing = alerts.length === 0 && offline.count === 0 && failed.count === 0;
  if (nothing) {
    return (
      <p className="border-t py-3 text-table text-subtle">
        Nothing. No alert is open, no device is offline, and every recording was processed.
      </p>
    );
  }
  return (
    <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <Column title="Open alerts" href="/alerts" empty="No alert is open.">
        {alerts.map((alert) => (
          <Row
            key={alert.rule_id}
            href={alert.count > 1 ? `/alerts?rule_id=${alert.rule_id}` : `/alerts/${alert.alert_id}`}
            at={alert.triggered_at}
          >
            <Status tone={alert.severity} hideLabel />
            <span className="min-w-0 truncate">
              <span className="font-medium">{alert.rule_name}</span>
              <span className="text-muted">
                {" · "}
                {alert.devices > 1 ? plural(alert.devices, "device") : alert.device_name}
                {alert.count > alert.devices && `, ${plural(alert.count, "alert")}`}
              </span>
            </span>
          </Row>
        ))}
      </Column>
      <Column
        title="Offline"
        count={counted(offline.count, ceiling)}
        href="/devices?status=offline"
        empty="No device is offline."
      >
        {offline.devices.map((device) => (
          <Row key={device.uid} href={`/devices/${device.uid}`} at={device.last_seen_at}>
            <Status tone="offline" hideLabel />
            <span className="min-w-0 truncate">{device.name}</span>
          </Row>
        ))}
      </Column>
      <Column
        title="Failed recordings"
        count={counted(failed.count, ceiling)}
        href="/recordings?status=error"
        empty="Every recording was processed."
      >
        {failed.recordings.map((recording) => (
          <Row key={recording.uid} href={recordingHref(recording.uid)} at={recording.started_at}>
            <Status tone="error" hideLabel />
            <span className="min-w-0 truncate" title={recording.error_message ?? undefined}>
              {recording.name || recording.device_name}
            </span>
          </Row>
        ))}
      </Column>
    </div>
  );
}

function Column(props: { title: string; count?: string; href: string; empty: string; children: ReactNode[] }) {
  return (
    <section className="min-w-0">
      <h3 className="flex items-baseline justify-between gap-3 border-b pb-1 text-meta text-subtle">
        <span>
          {props.title} {props.count !== undefined && <span className="tabular-nums">{props.count}</span>}
        </span>
        {props.children.length > 0 && (
          <Link href={props.href} className="rounded-control text-accent-text hover:underline">
            All<span className="sr-only"> {props.title.toLowerCase()}</span>
          </Link>
        )}
      </h3>
      {props.children.length === 0 ? (
        <p className="py-2 text-table text-subtle">{props.empty}</p>
      ) : (
        <ul>{props.children}</ul>
      )}
    </section>
  );
}

function Row({ href, at, children }: { href: string; at: string | null; children: ReactNode }) {
  return (
    <li className="border-b text-table">
      <Link href={href} className="-mx-2 flex min-h-9 items-center gap-2 rounded-control px-2 hover:bg-hover">
        {children}
        <RelativeTime value={at} rich={false} className="ml-auto shrink-0 pl-2 text-meta text-subtle" />
      </Link>
    </li>
  );
}
