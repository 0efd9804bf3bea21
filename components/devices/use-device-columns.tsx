"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { DataTableColumn } from "@/components/list/data-table";
import { useTRPC } from "@/components/trpc/client";
import { healthLimits } from "@/domain/health/limits";
import { deviceColumns } from "./device-columns";
import { DeviceMetric } from "./device-metric";
import type { DeviceRow } from "./query";

const unsortable = `Devices are sorted by a metric only where there are at most ${healthLimits.sortedDevices.toLocaleString("en-US")}.`;

/** Behind the state and the open alerts. */
const place = deviceColumns.findIndex(({ id }) => id === "type");

/** The columns of devices, with the metrics that the organization chose. */
export function useDeviceColumns(): readonly DataTableColumn<DeviceRow>[] {
  const trpc = useTRPC();
  const known = useQuery(trpc.health.columns.queryOptions()).data;
  return useMemo(() => {
    if (!known) return deviceColumns;
    const metrics = known.columns.map(({ name, label }, at): DataTableColumn<DeviceRow> => ({
      id: `metric.${name}`,
      header: label,
      width: 152,
      align: "right",
      ordering: `metric:${name}`,
      unsortable: known.sortable ? undefined : unsortable,
      ...(at === 0 && { narrow: "meta" }),
      cell: (device) => <DeviceMetric device={device} name={name} />,
    }));
    return [...deviceColumns.slice(0, place), ...metrics, ...deviceColumns.slice(place)];
  }, [known]);
}
