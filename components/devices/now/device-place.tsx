"use client";

import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { lazyPart } from "@/components/kit/lazy-part";
import { Section } from "@/components/kit/page-header";
import { Skeleton } from "@/components/kit/skeleton";
import { useTRPC } from "@/components/trpc/client";
import { formatMetric } from "@/domain/health/meanings";
import { findPlaceNames, type PlaceNames } from "@/domain/health/place";
import type { Device, DeviceNow } from "../query";

// Large, and only for devices that say where they are.
const PlaceMap = lazyPart(async () => (await import("./place-map")).PlaceMap, { className: "h-48" });

/** Points of a track: one in five minutes. */
const points = 288;
const none: readonly never[] = [];

/** Where a device is: by the metrics that say it, with its way of 24 h, else by its metadata; nothing where nobody says it. */
export function DevicePlace({ device, now }: { device: Device; now: DeviceNow }) {
  const names = findPlaceNames(now.metrics.map(({ name }) => name));
  const findValue = (name: string | undefined) => now.metrics.find((metric) => metric.name === name)?.value;
  const [north, east] = [findValue(names?.north), findValue(names?.east)];
  if (names && typeof north === "number" && typeof east === "number" && isOnPlane(names.kind, north, east))
    return <Place uid={device.uid} now={now} names={names} place={{ north, east }} />;
  const fixed = readLocation(device.metadata.location);
  return fixed && <Place uid={device.uid} now={now} names={null} place={fixed} />;
}

const isOnPlane = (kind: PlaceNames["kind"], north: number, east: number): boolean =>
  kind === "local" || (Math.abs(north) <= 90 && Math.abs(east) <= 180);

/** `metadata.location`, as the overview's map reads it. */
function readLocation(value: unknown): { north: number; east: number } | null {
  if (typeof value !== "object" || value === null || !("lat" in value) || !("lon" in value)) return null;
  const { lat, lon } = value;
  return typeof lat === "number" && typeof lon === "number" && isOnPlane("earth", lat, lon)
    ? { north: lat, east: lon }
    : null;
}

interface PlaceProps {
  uid: string;
  now: DeviceNow;
  /** Null for a place that somebody entered. */
  names: PlaceNames | null;
  place: { north: number; east: number };
}

function Place({ uid, now, names, place }: PlaceProps) {
  const trpc = useTRPC();
  const track = useQuery({
    ...trpc.health.series.queryOptions({
      ...{ uid, since: "-24h", points },
      names: names ? `${names.north},${names.east}` : "",
    }),
    enabled: names !== null,
    refetchInterval: 60_000,
  });
  const isLocal = names?.kind === "local";
  const format = (value: number) => formatMetric(value, { unit: isLocal ? "m" : "°", kind: "gauge" });
  const text = isLocal
    ? `x ${format(place.east)}, y ${format(place.north)}`
    : `${format(place.north)}, ${format(place.east)}`;
  const listPoints = (name: string | undefined) => track.data?.names.find((each) => each.name === name)?.points ?? none;
  return (
    <Section
      title="Place"
      description={
        <span className="tabular-nums">
          {text}
          {names === null && " by its metadata"}
        </span>
      }
    >
      <div className="@container relative h-48 overflow-hidden rounded-panel border bg-background">
        <Suspense fallback={<Skeleton className="size-full" />}>
          {(names === null || track.data || track.error) && (
            <PlaceMap
              isLocal={isLocal}
              place={place}
              north={listPoints(names?.north)}
              east={listPoints(names?.east)}
              styleUrl={isLocal ? null : now.style_url}
              label={`Map of its place, ${text}${names ? ", with its way of the last 24 h" : ""}`}
            />
          )}
        </Suspense>
      </div>
    </Section>
  );
}
