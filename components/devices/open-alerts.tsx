import Link from "next/link";
import { None } from "@/components/kit/none";
import { StatusMark } from "@/components/product/status";
import { cellCeiling } from "@/domain/limits";
import { severitiesWorstFirst } from "@/domain/severity";
import type { DeviceRow } from "./query";

type Counted = Pick<DeviceRow, "uid" | "name" | "open_alerts" | "open_by_severity">;

/** The open alerts of a device by severity, the worst first, each leading to those in the inbox. */
export function OpenAlerts({ device }: { device: Counted }) {
  const { uid, name, open_alerts: all, open_by_severity: counts } = device;
  if (all === 0) return <None />;
  const more = all >= cellCeiling ? "+" : "";
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle">
      {severitiesWorstFirst.map((severity) => {
        const count = counts[severity];
        if (count === 0) return null;
        const words = `${count}${more} open ${severity} ${count === 1 ? "alert" : "alerts"} of ${name}`;
        return (
          <Link
            key={severity}
            href={`/alerts?device_id=${uid}&severity=${severity}`}
            prefetch={false}
            aria-label={words}
            title={words}
            className="inline-flex min-h-6 min-w-6 items-center gap-1 rounded-control px-0.5 tabular-nums hover:bg-selected"
          >
            <StatusMark tone={severity} />
            {count}
            {more}
          </Link>
        );
      })}
    </span>
  );
}
