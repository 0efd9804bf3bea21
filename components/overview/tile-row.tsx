"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useSyncExternalStore } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { useNow } from "@/components/kit/clock";
import { cn } from "@/components/kit/cn";
import { formatBytes, formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { Status, type Tone } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { deviceStatuses } from "@/domain/devices/connectivity";
import { severitiesWorstFirst } from "@/domain/severity";
import { counted, dayStart, refreshMs, type Tiles } from "./query";

const dayMs = 86_400_000;

interface FigureProps {
  href: string;
  value: string;
  label: ReactNode;
  /** Dims the figure, for a count of nothing. */
  quiet?: boolean;
}

function Figure({ href, value, label, quiet = false }: FigureProps) {
  return (
    <Link href={href} className="group -mx-2 flex min-w-18 flex-col rounded-panel px-2 py-1 hover:bg-hover">
      <span className={cn("text-title font-semibold tabular-nums", quiet && "text-subtle")}>{value}</span>
      <span className="text-meta text-muted group-hover:text-foreground">{label}</span>
    </Link>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0 border-t pt-3">
      <h2 className="mb-2 text-meta text-subtle">{title}</h2>
      <div className="flex flex-wrap gap-x-5 gap-y-2">{children}</div>
    </section>
  );
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const marked = (tone: Tone) => <Status tone={tone}>{capitalize(tone)}</Status>;

/** The figures of now, each a link to the list it counts. */
export function TileRow() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const { zone } = useTimeZone();
  const ready = useInBrowser();
  const since = dayStart(zone, useNow(60_000));
  const query = useQuery({
    ...trpc.overview.tiles.queryOptions({ ...shown, since }),
    enabled: ready,
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
  if (query.error && !query.data) {
    return (
      <ErrorState error={query.error} title="The figures could not be loaded" onRetry={() => void query.refetch()} />
    );
  }
  return (
    <div
      className="grid grid-cols-[1fr_auto] gap-x-8 gap-y-3 sm:gap-y-5 max-sm:*:nth-[-n+2]:col-span-2 xl:grid-cols-[auto_auto_auto_auto]"
      aria-busy={!query.data}
    >
      {query.data ? <Figures tiles={query.data} since={since} /> : <Waiting />}
    </div>
  );
}

function Waiting() {
  return ["Devices", "Open alerts", "Recorded today", "Rules"].map((title) => (
    <Group key={title} title={title}>
      <Skeleton className="h-13 w-full" />
    </Group>
  ));
}

function Figures({ tiles, since }: { tiles: Tiles; since: string }) {
  const text = (count: number) => counted(count, tiles.ceiling);
  const { recordings } = tiles;
  const until = new Date(Date.parse(since) + dayMs).toISOString();
  const today = `started_since=${encodeURIComponent(since)}&started_until=${encodeURIComponent(until)}`;
  return (
    <>
      <Group title="Devices">
        {deviceStatuses.map((status) => (
          <Figure
            key={status}
            href={`/devices?status=${status}`}
            value={text(tiles.devices[status])}
            label={marked(status)}
            quiet={tiles.devices[status] === 0}
          />
        ))}
      </Group>
      <Group title="Open alerts">
        {severitiesWorstFirst.map((severity) => (
          <Figure
            key={severity}
            href={`/alerts?severity=${severity}`}
            value={text(tiles.alerts[severity])}
            label={marked(severity)}
            quiet={tiles.alerts[severity] === 0}
          />
        ))}
      </Group>
      <Group title="Recorded today">
        <Figure
          href={`/recordings?${today}`}
          value={`${formatNumber(recordings.hours, recordings.hours < 10 ? 1 : 0)} h`}
          label={`${text(recordings.count)} ${recordings.count === 1 ? "recording" : "recordings"}, ${formatBytes(recordings.bytes)}`}
          quiet={recordings.count === 0}
        />
        <Figure
          href={`/recordings?status=error&${today}`}
          value={text(recordings.failed)}
          label={recordings.failed > 0 ? <Status tone="error">Failed</Status> : "Failed"}
          quiet={recordings.failed === 0}
        />
      </Group>
      <Group title="Rules">
        <Figure href="/alerts?group=rule" value={text(tiles.firing)} label="Firing now" quiet={tiles.firing === 0} />
      </Group>
    </>
  );
}

const never = () => () => {};

/** False on the server and in the first frame, where the browser's time zone is not known. */
const useInBrowser = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
