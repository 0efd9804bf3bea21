import { None } from "@/components/kit/none";
import { SeverityCounts } from "@/components/product/severity-counts";
import type { DeviceRow } from "./query";

type Counted = Pick<DeviceRow, "uid" | "name" | "open_alerts" | "open_by_severity">;

/** The open alerts of a device by severity, the worst first, each leading to those in the inbox. */
export function OpenAlerts({ device }: { device: Counted }) {
  const { uid, name, open_alerts: all, open_by_severity: counts } = device;
  if (all === 0) return <None />;
  return (
    <SeverityCounts
      counts={counts}
      total={all}
      words={(count, severity) => `${count} open ${severity} ${count === "1" ? "alert" : "alerts"} of ${name}`}
      href={(severity) => `/alerts?device_id=${uid}&severity=${severity}`}
    />
  );
}
