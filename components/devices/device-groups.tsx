"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { Bytes } from "@/components/kit/measure";
import { None } from "@/components/kit/none";
import { PageBody } from "@/components/kit/page-header";
import { Select } from "@/components/kit/select";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { SeverityStatus } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import type { DeviceGrouping } from "@/domain/overview/groupings";

const labels: Record<DeviceGrouping, { heading: string; empty: string; filter: string }> = {
  type: { heading: "Type", empty: "No type", filter: "type" },
  tag: { heading: "Tag", empty: "Untagged", filter: "tags" },
  firmware: { heading: "Firmware", empty: "Unknown", filter: "firmware" },
};

/** Chooses between the list and its groups. */
export function GroupBy({
  value,
  onChange,
}: {
  value: DeviceGrouping | null;
  onChange: (next: DeviceGrouping | null) => void;
}) {
  return (
    <Select
      aria-label="Group by"
      className="w-40 max-sm:hidden"
      value={value ?? "none"}
      onValueChange={(next) => onChange(next === "none" ? null : next)}
      options={[
        { value: "none", label: "Not grouped" },
        { value: "type", label: "By type" },
        { value: "tag", label: "By tag" },
        { value: "firmware", label: "By firmware" },
      ]}
    />
  );
}

/** The fleet in groups, each a link to its devices. */
export function DeviceGroups({ by }: { by: DeviceGrouping }) {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const query = useQuery({ ...trpc.fleet.groups.queryOptions({ ...shown, by }), refetchInterval: 30_000 });
  const { heading, empty, filter } = labels[by];
  if (query.error && !query.data) {
    return (
      <PageBody>
        <ErrorState error={query.error} title="The groups could not be loaded" onRetry={() => void query.refetch()} />
      </PageBody>
    );
  }
  if (!query.data)
    return (
      <PageBody>
        <SkeletonText lines={6} />
      </PageBody>
    );
  const number = (value: number) => (value === 0 ? <None /> : value.toLocaleString("en-US"));
  return (
    <div
      className="min-h-0 flex-1 overflow-auto border-t"
      tabIndex={0}
      role="region"
      aria-label={`Devices by ${heading.toLowerCase()}`}
    >
      <table className="w-full min-w-160 text-table tabular-nums" aria-label={`Devices by ${heading.toLowerCase()}`}>
        <thead className="sticky top-0 bg-surface text-meta text-subtle">
          <tr className="border-b [&>th]:h-8 [&>th]:px-3 [&>th]:font-normal">
            <th className="pl-6! text-left">{heading}</th>
            {["Devices", "Online", "Offline", "Maintenance", "With open alerts", "Storage"].map((each) => (
              <th key={each} className="text-right last:pr-6">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {query.data.map((row) => (
            <tr key={row.name} className="border-b hover:bg-hover [&>td]:h-9 [&>td]:px-3 [&>td]:text-right">
              <th scope="row" className="pl-6 text-left font-medium">
                {row.name === "" && by !== "firmware" ? (
                  empty
                ) : (
                  <Link
                    href={`/devices?${filter}=${encodeURIComponent(row.name || "none")}`}
                    className="rounded-control hover:underline"
                  >
                    {row.name || empty}
                  </Link>
                )}
              </th>
              <td>{number(row.devices)}</td>
              <td>{number(row.online)}</td>
              <td>{number(row.offline)}</td>
              <td>{number(row.maintenance)}</td>
              <td>
                {row.worst ? (
                  <SeverityStatus severity={row.worst}>{`${row.alerting} · worst ${row.worst}`}</SeverityStatus>
                ) : (
                  <None />
                )}
              </td>
              <td className="pr-6!">{row.storage_bytes > 0 ? <Bytes value={row.storage_bytes} /> : <None />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
