"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { Duration } from "@/components/kit/measure";
import { InstantTime } from "@/components/kit/time";
import type { Outputs } from "@/components/trpc/client";

type LivePreview = Outputs["rules"]["previewLive"];
type Device = LivePreview["devices"][number];

const shownFirst = 20;

/** The days that were looked at as a line, each hit a bar as long as it lasted. */
function HitBars({ device, preview }: { device: Device; preview: LivePreview }) {
  const [from, to] = [Date.parse(preview.since), Date.parse(preview.until)];
  const place = (at: string) => Math.min(100, Math.max(0, ((Date.parse(at) - from) / Math.max(1, to - from)) * 100));
  return (
    <span aria-hidden className="relative block h-4 overflow-hidden rounded-control bg-background">
      <span className="absolute inset-x-0 top-1/2 h-px bg-border-strong" />
      {device.hits.map((hit) => {
        const left = place(hit.triggered_at);
        const right = place(hit.ended_at ?? device.evaluated_until ?? preview.until);
        return (
          <span
            key={hit.triggered_at}
            className="absolute top-0 h-4 min-w-0.5 bg-accent"
            style={{ left: `${left.toFixed(2)}%`, width: `${Math.max(0, right - left).toFixed(2)}%` }}
          />
        );
      })}
    </span>
  );
}

function Hits({ device }: { device: Device }) {
  const left = device.hit_count - device.hits.length;
  return (
    <div className="flex flex-col gap-2 pb-3 pl-7">
      <ol aria-label={`Hits on ${device.device_name}`} className="flex flex-col gap-1.5 text-table">
        {device.hits.map((hit) => (
          <li key={hit.triggered_at} className="flex flex-wrap items-baseline gap-x-3">
            <InstantTime value={hit.triggered_at} className="text-muted" />
            <span className="min-w-0 wrap-anywhere">{hit.text}</span>
            <span className="text-subtle">
              {hit.ended_at !== null && <Duration ms={Date.parse(hit.ended_at) - Date.parse(hit.triggered_at)} />}
              {hit.ended_at === null && device.evaluated_until === null && "goes on"}
            </span>
          </li>
        ))}
      </ol>
      {left > 0 && <p className="text-table text-muted">And {plural(left, "earlier hit")}.</p>}
      {device.evaluated_until !== null && (
        <p className="text-table text-muted">
          Its heartbeats were looked at until <InstantTime value={device.evaluated_until} />.
        </p>
      )}
      <Link
        href={`/devices/${device.device_id}`}
        className="self-start rounded-control text-accent-text hover:underline"
      >
        Open {device.device_name}
      </Link>
    </div>
  );
}

/** The devices that a condition on heartbeats would have triggered on, those with the most hits first. */
export function LivePreviewDevices({ preview }: { preview: LivePreview }) {
  const [open, setOpen] = useState<string | null>(null);
  const [all, setAll] = useState(false);
  const { devices } = preview;
  const opened = open ?? devices[0]?.device_id;
  const hidden = preview.device_count - devices.length;
  return (
    <div>
      <ul className="border-t">
        {(all ? devices : devices.slice(0, shownFirst)).map((device) => {
          const isOpen = opened === device.device_id;
          return (
            <li key={device.device_id} className="border-b">
              <button
                type="button"
                aria-expanded={isOpen}
                className="grid min-h-9 w-full grid-cols-[1rem_minmax(0,1fr)_minmax(0,1.2fr)_6rem] items-center gap-3 rounded-control text-left text-table hover:bg-hover max-sm:grid-cols-[1rem_minmax(0,1fr)_6rem]"
                onClick={() => setOpen(isOpen ? "" : device.device_id)}
              >
                <ChevronRight
                  aria-hidden
                  className={cn("size-4 text-subtle transition-transform", isOpen && "rotate-90")}
                />
                <span className="min-w-0 truncate">{device.device_name}</span>
                <span className="max-sm:hidden">
                  <HitBars device={device} preview={preview} />
                </span>
                <span className="text-right whitespace-nowrap tabular-nums">{plural(device.hit_count, "hit")}</span>
              </button>
              {isOpen && <Hits device={device} />}
            </li>
          );
        })}
      </ul>
      {!all && devices.length > shownFirst && (
        <Button size="sm" className="mt-2" onClick={() => setAll(true)}>
          Show all {plural(devices.length, "device")}
        </Button>
      )}
      {hidden > 0 && <p className="mt-2 text-table text-muted">And {plural(hidden, "more device")} with hits.</p>}
    </div>
  );
}
