"use client";

import { Disc, ListChecks } from "lucide-react";
import { useMemo } from "react";
import { describeReading } from "@/components/health/metric-reading";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPCClient } from "@/components/trpc/client";
import type { PaletteSearch } from "./command-palette";

const max = 6;

/** What the palette finds by name or uid: devices, recordings, rules and alerts of this organization. */
export function useSearches(): readonly PaletteSearch[] {
  const client = useTRPCClient();
  return useMemo(
    () => [
      {
        heading: "Devices",
        search: async (search, signal) => {
          const devices = await client.overview.searchDevices.query({ text: search }, { signal });
          return devices.map(({ uid, name, status, reading }) => ({
            key: uid,
            label: name,
            hint: reading ? `${status} · ${describeReading(reading)}` : status,
            icon: <Status tone={status} hideLabel />,
            href: `/devices/${uid}`,
          }));
        },
      },
      {
        heading: "Recordings",
        search: async (search, signal) => {
          const { results } = await client.recordings.list.query({ search, limit: max }, { signal });
          return results.map(({ uid, name, device_name }) => ({
            key: uid,
            label: name || uid,
            hint: device_name ?? undefined,
            icon: <Disc aria-hidden />,
            href: recordingHref(uid),
          }));
        },
      },
      {
        heading: "Rules",
        search: async (text, signal) => {
          const rules = await client.overview.searchRules.query({ text }, { signal });
          return rules.map(({ uid, name, enabled }) => ({
            key: uid,
            label: name,
            hint: enabled ? undefined : "off",
            icon: <ListChecks aria-hidden />,
            href: `/rules/${uid}`,
          }));
        },
      },
      {
        heading: "Alerts",
        search: async (text, signal) => {
          const alerts = await client.overview.searchAlerts.query({ text }, { signal });
          return alerts.map(({ uid, message, severity, status, device_name }) => ({
            key: uid,
            label: message,
            hint: `${device_name}, ${status}`,
            icon: <Status tone={severity} hideLabel />,
            href: `/alerts/${uid}`,
          }));
        },
      },
    ],
    [client],
  );
}
