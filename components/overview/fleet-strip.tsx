"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Section } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { Skeleton } from "@/components/kit/skeleton";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { fleetGroups } from "@/domain/overview/groupings";
import { FleetBlock } from "./fleet-block";
import { refreshMs } from "./query";

const useBy = () =>
  useQueryState("by", parseAsStringLiteral(fleetGroups).withDefault("type").withOptions({ history: "push" }));

/** The fleet as the strip groups it now. */
export function useFleet() {
  const trpc = useTRPC();
  const [by] = useBy();
  return useQuery({
    ...trpc.overview.fleet.queryOptions({ by }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** One small cell a device, the worst first in blocks by type or tag. */
export function FleetStrip() {
  const [by, setBy] = useBy();
  const { data } = useFleet();
  return (
    <Section
      title="Fleet"
      description={
        <span className="flex flex-wrap gap-x-4 gap-y-1">
          One mark per device: its worst open alert, or its status.
          <span className="flex flex-wrap gap-x-3 text-meta" aria-label="Legend">
            <Status tone="critical" />
            <Status tone="error" />
            <Status tone="warning" />
            <Status tone="info" />
            <Status tone="online" />
            <Status tone="offline" />
            <Status tone="maintenance" />
          </span>
        </span>
      }
      actions={
        <RadioGroup
          layout="segments"
          aria-label="Group the fleet by"
          value={by}
          onValueChange={(next) => void setBy(next)}
          options={[
            { value: "type", label: "By type" },
            { value: "tag", label: "By tag" },
          ]}
        />
      }
    >
      {data ? (
        <div className="grid gap-x-8 gap-y-5 sm:grid-cols-[repeat(auto-fill,minmax(14rem,1fr))]">
          {data.blocks.map((block) => (
            <FleetBlock key={block.name} block={block} by={by} wide={block.cells.length > 60} />
          ))}
        </div>
      ) : (
        <Skeleton className="h-16" />
      )}
    </Section>
  );
}
