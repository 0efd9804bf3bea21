"use client";

import { useQuery } from "@tanstack/react-query";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { cn } from "@/components/kit/cn";
import { useTRPC } from "@/components/trpc/client";

const maxNamed = 5;
const fills = ["bg-series-1", "bg-series-3", "bg-series-2", "bg-series-4", "bg-series-6"];

/** How the firmware is spread over the fleet; a version filters the list by it. Nothing where there is only one. */
export function FirmwareBar({
  chosen,
  onChoose,
}: {
  chosen: string | null;
  onChoose: (version: string | null) => void;
}) {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const { data } = useQuery(trpc.fleet.firmware.queryOptions(shown));
  const known = data?.filter(({ version }) => version !== "") ?? [];
  if (!data || known.length < 2) return null;
  const total = data.reduce((sum, { devices }) => sum + devices, 0);
  const rest = total - known.slice(0, maxNamed).reduce((sum, { devices }) => sum + devices, 0);
  return (
    <section
      aria-label="Firmware spread"
      className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 pb-2 text-meta sm:px-6"
    >
      <span className="text-subtle">Firmware</span>
      <span aria-hidden className="flex h-2 w-full max-w-80 overflow-hidden rounded-full bg-hover max-sm:max-w-full">
        {known.slice(0, maxNamed).map(({ version, devices }, at) => (
          <span
            key={version}
            className={cn("h-full border-r border-surface", fills[at])}
            style={{ width: `${(100 * devices) / total}%` }}
          />
        ))}
      </span>
      <span className="flex min-w-0 flex-wrap gap-x-3">
        {known.slice(0, maxNamed).map(({ version, devices }, at) => (
          <button
            key={version}
            type="button"
            aria-pressed={chosen === version}
            onClick={() => onChoose(chosen === version ? null : version)}
            className={cn(
              "flex items-center gap-1.5 rounded-control hover:underline",
              chosen === version && "font-semibold",
            )}
          >
            <span aria-hidden className={cn("size-2 rounded-full", fills[at])} />
            <span className="font-mono">{version}</span>
            <span className="text-subtle tabular-nums">
              <span className="sr-only">on </span>
              {devices.toLocaleString("en-US")}
              <span className="sr-only"> devices</span>
            </span>
          </button>
        ))}
        {rest > 0 && <span className="text-subtle tabular-nums">{rest.toLocaleString("en-US")} others</span>}
      </span>
    </section>
  );
}
