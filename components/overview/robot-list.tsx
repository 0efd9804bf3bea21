"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState, type KeyboardEvent } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Button } from "@/components/kit/button";
import { Disclosure } from "@/components/kit/disclosure";
import { formatNumber } from "@/components/kit/format";
import { SkeletonText } from "@/components/kit/skeleton";
import { nextPage } from "@/components/list/list-input";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { refreshMs, type Robot, type RobotsInput } from "./query";
import { RobotRow } from "./robot-row";

/** Robots in lines, one below the other; arrows move between them, and Tab goes to what is in them. */
export function RobotList({ label, robots }: { label: string; robots: readonly Robot[] }) {
  const list = useRef<HTMLUListElement>(null);
  const scale = Math.max(1, ...robots.flatMap(({ week }) => week));
  const move = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-robot]") ?? [])];
    const rows = [...(list.current?.children ?? [])];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (next === undefined || !links[next]) return;
    event.preventDefault();
    links[next].focus();
  };
  return (
    <ul ref={list} aria-label={label} className="border-t text-table" onKeyDown={move}>
      {robots.map((robot) => (
        <li
          key={robot.uid}
          className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 border-b py-1.5 hover:bg-hover lg:min-h-9 lg:grid-cols-[11.5rem_4rem_minmax(0,1fr)_7.25rem_5.25rem_3.5rem] lg:py-0"
        >
          <RobotRow robot={robot} scale={scale} />
        </li>
      ))}
    </ul>
  );
}

/** Robots that are loaded page by page. */
export function PagedRobots({ label, input }: { label: string; input: RobotsInput }) {
  const trpc = useTRPC();
  const query = useInfiniteQuery({
    ...trpc.overview.robots.infiniteQueryOptions({ ...useDemoFilter(), ...input, limit: 50 }, nextPage),
    refetchInterval: refreshMs,
  });
  if (query.error && !query.data)
    return (
      <ErrorState error={query.error} title="The robots could not be loaded" onRetry={() => void query.refetch()} />
    );
  const robots = query.data?.pages.flatMap(({ results }) => results);
  return (
    <div className="pt-1" aria-busy={!robots}>
      {robots ? <RobotList label={label} robots={robots} /> : <SkeletonText lines={3} />}
      {query.hasNextPage && (
        <Button size="sm" className="mt-2" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load more
        </Button>
      )}
    </div>
  );
}

/** Those that need nobody, as a number until they are wanted. */
export function FineRobots(props: { count: number; maintenance?: number; group?: RobotsInput["group"] }) {
  const { count, maintenance = 0, group } = props;
  const [open, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <Disclosure
      className="py-2"
      open={open}
      onOpenChange={setOpen}
      label={
        <span className="text-muted tabular-nums">
          {formatNumber(count, 0)} fine
          {maintenance > 0 && `, ${formatNumber(maintenance, 0)} of them in maintenance`}
        </span>
      }
    >
      {open && <PagedRobots label="Robots that are fine" input={{ group, fine: true }} />}
    </Disclosure>
  );
}
