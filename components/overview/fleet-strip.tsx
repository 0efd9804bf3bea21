"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Section } from "@/components/kit/page-header";
import { RadioGroup } from "@/components/kit/radio-group";
import { Skeleton } from "@/components/kit/skeleton";
import { Status } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { fleetGroups } from "@/domain/overview/groupings";
import { FleetBars } from "./fleet-bars";
import { FleetBlock } from "./fleet-block";
import { refreshMs } from "./query";

/** Up to this many devices are shown by name; up to the other as marks; of more there are bars. */
const maxNamed = 60;
const maxMarked = 200;

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

/** The fleet in blocks by type or tag: devices by name, as marks, or in a large fleet as bars. */
export function FleetStrip() {
  const [by, setBy] = useBy();
  const { data } = useFleet();
  return (
    <Section
      title="Fleet"
      description={
        <span className="flex flex-wrap gap-x-4 gap-y-1">
          {data && data.size > maxMarked
            ? "How many devices have which worst open alert, or which status."
            : "One mark per device: its worst open alert, or its status."}
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
      {data && data.size > maxMarked ? (
        <FleetBars blocks={data.blocks} by={by} />
      ) : data ? (
        <div className="grid gap-x-8 gap-y-5 sm:grid-cols-[repeat(auto-fill,minmax(14rem,1fr))]">
          {data.blocks.map((block) => (
            <FleetBlock key={block.name} block={block} by={by} named={data.size <= maxNamed} />
          ))}
        </div>
      ) : (
        <Skeleton className="h-16" />
      )}
    </Section>
  );
}
