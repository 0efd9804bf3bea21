"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { SkeletonText } from "@/components/kit/skeleton";
import { ErrorState } from "@/components/product/error-state";
import { LogLevelMark } from "@/components/product/log-level";
import { recordingHref } from "@/components/product/recording-links";
import { StatusMark } from "@/components/product/status";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { exactIsoFromNs, parseDateTimeNs } from "@/domain/time/nanoseconds";
import type { Capture } from "./capture/alert-capture";
import { describeOffset } from "./capture/capture-pictures";
import type { AlertDetail } from "./query";

/** Something else that happened on the device. */
interface Happening {
  key: string;
  time: bigint;
  kind: string;
  mark: ReactNode;
  text: string;
  /** A page of its own. */
  href: string | null;
  /** The recording at that moment. */
  moment: string | null;
}

type Around = Outputs["alerts"]["around"][number];

const link = "rounded-control hover:underline";

/** What else Muster itself knows of the device within a minute of an alert. */
export const useAround = (uid: string) => useQuery(useTRPC().alerts.around.queryOptions({ uid }));

const labels: Readonly<Record<Around["kind"], string>> = {
  alert: "Alert",
  hit: "Rule hit",
  event: "Event",
  gap: "Gap",
  status: "Connection",
  silence: "Silence",
  firmware: "Firmware",
};

/** What else happened on the device within a minute, in one list: what Muster knows of it, and what its log said. */
export function AlertAround({ alert, capture }: { alert: AlertDetail; capture: Capture | null | undefined }) {
  const query = useAround(alert.uid);
  if (query.error) return <ErrorState error={query.error} title="This could not be loaded" className="py-6" />;
  if (!query.data) return <SkeletonText lines={3} />;
  const at = capture ? BigInt(capture.triggered_ns) : (parseDateTimeNs(alert.triggered_at) ?? 0n);
  const toMoment = (recording: string | null, time: bigint) =>
    recording === null ? null : recordingHref(recording, { t: exactIsoFromNs(time) });
  const stored = query.data.map(({ kind, uid, time_ns: time, text, severity, recording_id: recording }): Happening => ({
    key: uid,
    time: BigInt(time),
    kind: labels[kind],
    mark: severity !== null ? <StatusMark tone={severity} /> : null,
    text,
    href: kind === "alert" ? `/alerts/${uid}` : null,
    moment: toMoment(recording ?? alert.recording_id, BigInt(time)),
  }));
  const own = alert.recording_id;
  const errors = (capture?.errors ?? []).map(({ time_ns: time, topic, level, node, text }, index): Happening => ({
    key: `${time} ${topic} ${index}`,
    time: BigInt(time),
    kind: "Log",
    mark: <LogLevelMark level={level} />,
    text: node ? `${node}: ${text}` : text,
    href: null,
    moment: toMoment(own, BigInt(time)),
  }));
  const parts = (capture?.diagnostics ?? []).map(({ time_ns: time, name, before, level, text }, index): Happening => ({
    key: `${time} ${name} ${index}`,
    time: BigInt(time),
    kind: "Diagnostics",
    mark: null,
    text: `${name}: ${before ?? "unknown"} → ${level ?? "unknown"}${text === "" ? "" : `, ${text}`}`,
    href: null,
    moment: toMoment(own, BigInt(time)),
  }));
  const all = [...stored, ...errors, ...parts].sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  if (all.length === 0) return <p className="text-table text-muted">Nothing else is known of that minute.</p>;
  return (
    <ol aria-label="What else happened" className="flex flex-col gap-1.5 text-table">
      {all.map(({ key, time, kind, mark, text, href, moment }) => {
        const offset = describeOffset(String(time - at));
        return (
          <li key={key} className="flex items-baseline gap-2">
            <span className="w-24 shrink-0 text-meta text-subtle tabular-nums">
              {moment && href ? (
                <Link href={moment} className={link} aria-label={`${offset}: open the recording there`}>
                  {offset}
                </Link>
              ) : (
                offset
              )}
            </span>
            <span className="w-20 shrink-0 text-meta text-subtle">{kind}</span>
            <span className="flex min-w-0 items-baseline gap-1.5 wrap-anywhere">
              {mark}
              {href || moment ? (
                <Link href={href ?? moment ?? ""} className={link}>
                  {text}
                </Link>
              ) : (
                text
              )}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
