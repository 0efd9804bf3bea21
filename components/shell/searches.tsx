"use client";

import { Disc, ListChecks } from "lucide-react";
import { useMemo } from "react";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { describeReading } from "@/components/health/metric-reading";
import { formatDuration, formatInstant, toMillis } from "@/components/kit/format";
import { loadPart } from "@/components/kit/part-loading";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { useTRPCClient } from "@/components/trpc/client";
import type { PaletteSearch } from "./command-palette";

const max = 6;

/** What may name a time of day; only then is the reader of times loaded. */
const hasTime = /\d(?::\d\d|\s?[ap]m\b)/i;

/** What is said beside a name, and that it is of the demo fleet. */
const markDemo = (demo: boolean, ...hints: readonly (string | null)[]): string | undefined =>
  [demo ? "Demo" : null, ...hints].filter((hint) => hint !== null).join(" · ") || undefined;

/**
 * What the palette finds of this organization: recordings by a device and a time, and devices, recordings, rules and
 * alerts by name or uid.
 */
export function useSearches(): readonly PaletteSearch[] {
  const client = useTRPCClient();
  const shown = useDemoFilter();
  return useMemo(
    () => [
      {
        heading: "At this time",
        noun: "Recordings",
        search: async (text, context) => {
          if (!hasTime.test(text)) return [];
          const searchAt = await loadPart(async () => (await import("./recordings-at")).searchAt);
          return searchAt(client, text, { ...context, shown });
        },
      },
      {
        heading: "Devices",
        search: async (search, { signal }) => {
          const devices = await client.overview.searchDevices.query({ ...shown, text: search }, { signal });
          return devices.map(({ uid, name, status, reading, demo }) => ({
            key: uid,
            label: name,
            hint: markDemo(demo, reading ? `${status} · ${describeReading(reading)}` : status),
            icon: <Status tone={status} hideLabel />,
            href: `/devices/${uid}`,
          }));
        },
      },
      {
        heading: "Recordings",
        search: async (search, { signal, zone }) => {
          const { results } = await client.recordings.list.query({ ...shown, search, limit: max }, { signal });
          return results.map(({ uid, name, device_name, started_at, duration_seconds: seconds, demo }) => ({
            key: uid,
            label: name || uid,
            hint: markDemo(
              demo,
              device_name,
              formatInstant(toMillis(started_at), zone, "minute"),
              seconds > 0 ? formatDuration(seconds * 1000) : null,
            ),
            icon: <Disc aria-hidden />,
            href: recordingHref(uid),
          }));
        },
      },
      {
        heading: "Rules",
        search: async (text, { signal }) => {
          const rules = await client.overview.searchRules.query({ ...shown, text }, { signal });
          return rules.map(({ uid, name, enabled, demo }) => ({
            key: uid,
            label: name,
            hint: markDemo(demo, enabled ? null : "off"),
            icon: <ListChecks aria-hidden />,
            href: `/rules/${uid}`,
          }));
        },
      },
      {
        heading: "Alerts",
        search: async (text, { signal, zone }) => {
          const alerts = await client.overview.searchAlerts.query({ ...shown, text }, { signal });
          return alerts.map(({ uid, rule_name, message, severity, status, device_name, triggered_at, demo }) => ({
            key: uid,
            label: `${rule_name} on ${device_name}`,
            hint: markDemo(demo, status, formatInstant(toMillis(triggered_at), zone, "minute"), message),
            icon: <Status tone={severity} hideLabel />,
            href: `/alerts/${uid}`,
          }));
        },
      },
    ],
    [client, shown],
  );
}
