"use client";

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useDemoFilter } from "@/components/demo-fleet/demo-choice";
import { plural } from "@/components/kit/format";
import { useMediaQuery, useNarrow } from "@/components/kit/media-query";
import { Section } from "@/components/kit/page-header";
import type { Tone } from "@/components/product/status";
import { useTRPC } from "@/components/trpc/client";
import { severities, type Severity } from "@/domain/severity";
import { placeNames, spreadPlaces } from "./map-places";

/** Px of the plane, about those of the screen, so that names are as large as elsewhere. */
const sizes = {
  /** Beside the list of the fleet. */
  beside: { width: 320, height: 200 },
  wide: { width: 960, height: 280 },
  narrow: { width: 358, height: 280 },
};
const margin = 44;
const rankWorst = ({ worst }: { worst: Severity | null }): number => (worst === null ? -1 : severities.indexOf(worst));
const colours: Partial<Record<Tone, string>> = {
  critical: "text-critical",
  error: "text-error",
  warning: "text-warning",
  info: "text-info",
  offline: "text-offline",
  maintenance: "text-maintenance",
};

/**
 * Devices with a `metadata.location`, drawn to scale without map tiles, with their names where there is room; devices at
 * one place are fanned out. Nothing when no device has one.
 */
export function FleetMap() {
  const trpc = useTRPC();
  const shown = useDemoFilter();
  const router = useRouter();
  const isNarrow = useNarrow();
  const isBeside = useMediaQuery("(min-width: 1280px)");
  const { width, height } = sizes[isBeside ? "beside" : isNarrow ? "narrow" : "wide"];
  const { data } = useQuery(trpc.overview.map.queryOptions(shown));
  if (!data || data.length === 0) return null;
  const [lats, lons] = [data.map((each) => each.lat), data.map((each) => each.lon)];
  const [south, north] = [Math.min(...lats), Math.max(...lats)];
  const [west, east] = [Math.min(...lons), Math.max(...lons)];
  const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const degrees = Math.max(
    ((east - west) * narrowing) / (width - 2 * margin),
    (north - south) / (height - 2 * margin),
    1e-7,
  );
  const x = (lon: number) => width / 2 + ((lon - (west + east) / 2) * narrowing) / degrees;
  const y = (lat: number) => height / 2 - (lat - (south + north) / 2) / degrees;
  // The worst first, so that they have their names where there is no room for all.
  const sorted = data.toSorted((a, b) => rankWorst(b) - rankWorst(a));
  const places = spreadPlaces(sorted.map((device) => ({ ...device, x: x(device.lon), y: y(device.lat) })));
  const sides = placeNames(places, { width, height });
  const metres = niceLength(degrees * 111_320 * 140);
  const bar = metres / (degrees * 111_320);
  return (
    <Section title="Where they are" description={`${plural(data.length, "device")} with a location`}>
      <div className="border-y">
        <svg
          viewBox={`0 0 ${width} ${height}`}
          className="w-full"
          role="group"
          aria-label="Devices by their location, north above"
        >
          {[0.25, 0.5, 0.75].map((share) => (
            <g key={share} className="stroke-border">
              <line x1={share * width} x2={share * width} y1={0} y2={height} />
              <line x1={0} x2={width} y1={share * height} y2={share * height} />
            </g>
          ))}
          {places.map(({ uid, anchor, ...mark }) =>
            anchor ? (
              <line key={uid} x1={anchor.x} y1={anchor.y} x2={mark.x} y2={mark.y} className="stroke-border-strong" />
            ) : null,
          )}
          {places.map((device, at) => (
            <a
              key={device.uid}
              href={`/devices/${device.uid}`}
              aria-label={`${device.name}: ${device.status}${device.worst ? `, worst open alert ${device.worst}` : ""}`}
              onClick={(event) => {
                event.preventDefault();
                router.push(`/devices/${device.uid}`);
              }}
              className={colours[device.worst ?? device.status] ?? "text-online"}
            >
              <title>{`${device.name}: ${device.worst ?? device.status}`}</title>
              <Mark tone={device.worst ?? device.status} x={device.x} y={device.y} />
              {sides[at] && (
                <text
                  x={device.x + (sides[at] === "right" ? 10 : -10)}
                  y={device.y + 4}
                  textAnchor={sides[at] === "right" ? "start" : "end"}
                  className="fill-muted text-[11px]"
                >
                  {device.name}
                </text>
              )}
            </a>
          ))}
          <g transform={`translate(12 ${height - 12})`} className="fill-subtle stroke-subtle">
            <path d={`M0 -4V0H${bar.toFixed(1)}V-4`} fill="none" />
            <text x={bar + 6} y={1} className="stroke-none text-[12px]">
              {metres >= 1000 ? `${metres / 1000} km` : `${metres} m`}
            </text>
          </g>
        </svg>
      </div>
    </Section>
  );
}

/** The shape of the state, larger than in lists: a mark alone on a plane. */
function Mark({ tone, x, y }: { tone: Tone; x: number; y: number }) {
  const place = { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` };
  if (tone === "critical") return <path {...place} d="M0 -7 7 0 0 7 -7 0Z" fill="currentColor" />;
  if (tone === "warning") return <path {...place} d="M0 -6 6.5 5.5H-6.5Z" fill="currentColor" />;
  if (tone === "error" || tone === "online") return <circle {...place} r={5} fill="currentColor" />;
  return <circle {...place} r={4.5} fill="var(--surface)" stroke="currentColor" strokeWidth={2} />;
}

/** The nearest 1, 2 or 5 times a power of ten below. */
function niceLength(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([5, 2].find((step) => step * power <= value) ?? 1) * power;
}
