"use client";

import { useQuery } from "@tanstack/react-query";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { FleetGroups } from "./fleet-groups";
import { refreshMs, type Fleet } from "./query";
import { FineRobots, RobotList } from "./robot-list";

export function useFleet() {
  const trpc = useTRPC();
  return useQuery({ ...trpc.overview.fleet.queryOptions(useDemoFilter()), refetchInterval: refreshMs });
}

/** The fleet by robot, those first that need somebody most; a large one by group. */
export function FleetList() {
  const { data, error, refetch } = useFleet();
  return (
    <Section title="Fleet" description={data && describe(data)}>
      {error && !data ? (
        <ErrorState error={error} title="The fleet could not be loaded" onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton className="h-72" />
      ) : data.groups.length > 0 ? (
        <FleetGroups groups={data.groups} more={data.more_groups} />
      ) : (
        <>
          {data.robots.length > 0 ? (
            <RobotList label="Robots that need somebody" robots={data.robots} />
          ) : (
            <p className="border-y py-3 text-table text-subtle">
              {data.size === 0
                ? "No devices yet."
                : "No alert is open, no metric is out of range, and no robot is offline."}
            </p>
          )}
          <FineRobots count={data.fine} maintenance={data.maintenance} />
        </>
      )}
    </Section>
  );
}

const describe = ({ groups }: Fleet) =>
  groups.length > 0 ? (
    "Groups by their worst robots: open alerts, metrics out of range, offline. A robot is in each of its groups."
  ) : (
    <>
      The worst first. <span className="max-lg:hidden">Bars are alerts of the last 7 days, on one scale.</span>
    </>
  );
