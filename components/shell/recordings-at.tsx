import { Disc } from "lucide-react";
import { formatInstant, zoneOffset } from "@/components/kit/format";
import { recordingHref } from "@/components/product/recording-links";
import { recordingTitle } from "@/components/recordings/query";
import type { Outputs, useTRPCClient } from "@/components/trpc/client";
import type { DemoFilter } from "@/domain/demo/choice";
import { msFromNs, shortIsoFromNs } from "@/domain/time/nanoseconds";
import { parseTypedMoment } from "@/domain/time/typed-moment";
import type { PaletteItem } from "./command-palette";

type RecordingAt = Outputs["overview"]["recordingsAt"][number];

const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

function describeSpan(seconds: number): string {
  // Two days and more are counted in days, for 30 h says more than 1 d.
  const [size, unit] = units.find(([each]) => seconds >= (each === 86_400 ? 2 * each : each)) ?? [1, "s"];
  return `${Math.max(1, Math.floor(seconds / size))} ${unit}`;
}

/** Where a recording lies beside the moment that was typed. */
function describePlace({ distance_seconds: distance }: RecordingAt, instant: string): string {
  if (distance === 0) return `opens at ${instant}`;
  const span = describeSpan(Math.abs(distance));
  return distance > 0 ? `nearest, starts ${span} later` : `nearest, ended ${span} earlier`;
}

/** What the palette finds for a device and a time, such as `arm c1 tue 14:10`: recordings, opened at that instant. */
export async function searchAt(
  client: ReturnType<typeof useTRPCClient>,
  typed: string,
  { signal, zone, shown }: { signal: AbortSignal; zone: string; shown: DemoFilter },
): Promise<PaletteItem[]> {
  const found = parseTypedMoment(typed, Date.now(), (at) => zoneOffset(at, zone));
  if (!found) return [];
  const at = shortIsoFromNs(found.at);
  const recordings = await client.overview.recordingsAt.query({ ...shown, text: found.rest, at }, { signal });
  const instant = formatInstant(msFromNs(found.at), zone, "minute");
  return recordings.map((recording) => {
    const { uid, device_name, ended_at, distance_seconds } = recording;
    // The nearest opens at the end that is nearer: its beginning, where every recording opens, or its last instant.
    const t = distance_seconds === 0 ? at : distance_seconds < 0 ? ended_at : undefined;
    return {
      key: `at ${uid}`,
      label: recordingTitle(recording),
      hint: `${device_name} · ${describePlace(recording, instant)}`,
      icon: <Disc aria-hidden />,
      href: recordingHref(uid, t === undefined ? {} : { t }),
    };
  });
}
