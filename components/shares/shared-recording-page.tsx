"use client";

import { Download, ExternalLink } from "lucide-react";
import { useState, type ReactNode } from "react";
import { buttonStyles } from "@/components/kit/button";
import { formatDuration, formatInstant } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { InstantTime } from "@/components/kit/time";
import { recordingTitle } from "@/components/recordings/query";
import { Mark } from "@/components/shell/mark";
import type { SharedRecording } from "@/domain/shares/shared-recording";
import { msFromNs } from "@/domain/time/nanoseconds";
import { SharedSeries } from "./shared-series";

/** A range of a recording, for people without an account. */
export function SharedRecordingPage({ shared }: { shared: SharedRecording }) {
  const { organization_name: organization, cameras, plots, download, viewers } = shared;
  const [from, to] = [BigInt(shared.from_ns), BigInt(shared.to_ns)];
  const opened = viewers?.flatMap(({ name, href }) => (href === null ? [] : [{ name, href }])) ?? [];
  return (
    <main className="min-h-dvh bg-background px-4 py-8 sm:py-12">
      <div className="mx-auto flex w-full max-w-240 flex-col gap-8">
        <div>
          <div className="mb-6 flex items-center gap-2">
            <Mark />
            <span className="text-body font-semibold">Muster</span>
          </div>
          <h1 className="text-title font-semibold tracking-[-0.01em] wrap-anywhere">{recordingTitle(shared)}</h1>
          <p className="mt-1 text-body text-muted wrap-anywhere">
            {shared.shared_by} of {organization} shared this part of a recording with you.
          </p>
        </div>
        <Part title="Recording">
          <KeyValue
            items={[
              [
                "Device",
                <span key="device" className="wrap-anywhere">
                  {shared.device_name}
                </span>,
              ],
              ["Time", <RangeTimes key="time" from={msFromNs(from)} to={msFromNs(to)} />],
              ["Length", formatDuration(msFromNs(to - from))],
              ["Shared until", <InstantTime key="until" value={shared.expires_at} precision="minute" />],
            ]}
          />
          {shared.note !== "" && (
            <p className="max-w-160 border-l-2 pl-3 text-body whitespace-pre-line wrap-anywhere">{shared.note}</p>
          )}
        </Part>
        <Part title="Open it">
          {download ? (
            <div className="flex flex-wrap gap-2">
              <a href={download.url} className={buttonStyles({ variant: "primary" })}>
                <Download aria-hidden />
                Download MCAP
              </a>
              {opened.map(({ name, href }) => (
                <a key={name} href={href} target="_blank" rel="noreferrer" className={buttonStyles()}>
                  <ExternalLink aria-hidden />
                  Open in {name}
                </a>
              ))}
            </div>
          ) : (
            <p className="text-table text-muted">It cannot be downloaded at the moment. Try again later.</p>
          )}
          {download && (
            <p className="max-w-160 text-table text-muted">
              The file has every topic of this range. Foxglove, Lichtblick, Rerun and the tools of ROS open it.
            </p>
          )}
        </Part>
        {plots.length > 0 && (
          <Part title="Plots">
            {plots.map((plot) => (
              <SharedSeries key={`${plot.topic} ${plot.field}`} plot={plot} from={from} to={to} />
            ))}
          </Part>
        )}
        {cameras.length > 0 && (
          <Part title="Cameras">
            {cameras.map(({ topic, stills }) => (
              <div key={topic} className="flex flex-col gap-2">
                <h3 className="font-mono text-table wrap-anywhere">{topic}</h3>
                <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3">
                  {stills.map(({ at_ns: at, url }) => (
                    <li key={at} className="flex min-w-0 flex-col gap-1">
                      <Still
                        url={url}
                        alt={`${topic}, ${formatDuration(msFromNs(BigInt(at) - from))} after the start`}
                      />
                      <span className="text-meta text-muted tabular-nums">
                        +{formatDuration(msFromNs(BigInt(at) - from))}
                      </span>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </Part>
        )}
      </div>
    </main>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-3">
    <h2 className="text-section font-semibold">{title}</h2>
    {children}
  </section>
);

/** When it was, in the visitor's zone and in UTC. */
function RangeTimes({ from, to }: { from: number; to: number }) {
  const { zone } = useTimeZone();
  const format = (each: string) =>
    `${formatInstant(from, each, "millisecond")} to ${formatInstant(to, each, "millisecond")}`;
  return [...new Set([format(zone), format("UTC")])].map((text) => (
    <span key={text} className="block">
      {text}
    </span>
  ));
}

/** A picture, or that there is none. */
function Still({ url, alt }: { url: string; alt: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing)
    return (
      <span className="flex aspect-video items-center justify-center rounded-panel border text-meta text-muted">
        No picture
      </span>
    );
  return (
    // oxlint-disable-next-line nextjs/no-img-element -- made in its size by the server, behind a link that expires
    <img
      src={url}
      alt={alt}
      // One that failed before the page ran says so by its size.
      ref={(image) => {
        if (image?.complete && image.naturalWidth === 0) setMissing(true);
      }}
      onError={() => setMissing(true)}
      className="aspect-video w-full rounded-panel bg-surface object-contain"
    />
  );
}
