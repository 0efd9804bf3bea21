"use client";

import { useQuery } from "@tanstack/react-query";
import Image from "next/image";
import { useState, type KeyboardEvent } from "react";
import { cn } from "@/components/kit/cn";
import { CopyButton } from "@/components/kit/copy-button";
import { formatInstant } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Select } from "@/components/kit/select";
import { LogLevelMark } from "@/components/product/log-level";
import { MomentMap } from "@/components/recording/map/moment-map";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { msFromNs } from "@/domain/time/nanoseconds";
import { describeOffset, toTopicPictures } from "./capture-pictures";
import { frameShape, notesShape } from "./capture-place";

export type Capture = NonNullable<Outputs["alerts"]["capture"]>;

/** What the recording held when the alert triggered; undefined while it loads, null when there is nothing to show. */
export function useCapture(uid: string): Capture | null | undefined {
  const trpc = useTRPC();
  const query = useQuery({ ...trpc.alerts.capture.queryOptions({ uid }), staleTime: 60_000 });
  return query.isError ? null : query.data;
}

/** Whether there is something to look at. */
export const hasContent = (capture: Capture | null | undefined): capture is Capture =>
  !!capture &&
  (capture.pictures.length > 0 || capture.lines.length > 0 || capture.fix !== null || capture.position !== null);

export const hasPictures = (capture: Capture | null | undefined): boolean => (capture?.pictures.length ?? 0) > 0;

interface CaptureProps {
  capture: Capture;
  recordingId: string | null;
  /** Whether notes take as much room as was kept for them before they came. */
  keepsRoom?: boolean;
}

/** Pictures of the cameras, log lines and the place at the moment of an alert. */
export function AlertCapture({ capture, recordingId, keepsRoom = false }: CaptureProps) {
  const { pictures, lines, fix, position, notes } = capture;
  return (
    <div className="@container flex flex-col gap-4">
      <div className={cn("grid gap-4", pictures.length > 0 && "@2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]")}>
        {pictures.length > 0 && <Pictures capture={capture} />}
        {(lines.length > 0 || fix || position) && (
          <div className="flex min-w-0 flex-col gap-3">
            {fix && <Place fix={fix} />}
            {position && <Position position={position} />}
            {fix && recordingId && <MomentMap uid={recordingId} topic={fix.topic} at={BigInt(capture.triggered_ns)} />}
            {lines.length > 0 && <Lines capture={capture} />}
            <div className={keepsRoom ? notesShape : "empty:hidden"}>
              <Notes notes={notes} />
            </div>
          </div>
        )}
      </div>
      {lines.length === 0 && !fix && !position && <Notes notes={notes} />}
    </div>
  );
}

/** What could not be kept. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className="flex flex-col gap-0.5 text-meta wrap-anywhere text-subtle">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

function Pictures({ capture }: { capture: Capture }) {
  const topics = toTopicPictures(capture.pictures);
  const [chosen, setChosen] = useState<string | null>(null);
  const [index, setIndex] = useState<number | null>(null);
  const camera = topics.find(({ topic }) => topic === chosen) ?? topics[0];
  if (!camera) return null;
  const { topic, pictures } = camera;
  const shown = pictures.find((picture) => picture.index === index) ?? camera.atTrigger;
  const address = (at: number) => `/media/alerts/${capture.uid}/${at}`;
  const step = (by: number) => {
    const next = pictures[pictures.indexOf(shown) + by];
    if (next) setIndex(next.index);
    return next;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = step(by);
    const buttons = event.currentTarget.querySelectorAll("button");
    if (next) buttons[pictures.indexOf(next)]?.focus();
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {topics.length > 1 && (
        <Select
          aria-label="Camera"
          value={topic}
          onValueChange={(value) => {
            setChosen(value);
            setIndex(null);
          }}
          options={topics.map((each) => ({ value: each.topic, label: each.topic }))}
        />
      )}
      <figure className="flex flex-col gap-1">
        {/* Kept at the size shown, behind the session: nothing for Next's optimizer to do. */}
        <Image
          unoptimized
          src={address(shown.index)}
          width={shown.width}
          height={shown.height}
          alt={`${topic}, ${describeOffset(shown.offset_ns)}`}
          className={cn(frameShape, "rounded-control border bg-surface object-contain")}
        />
        <figcaption className="flex flex-wrap justify-between gap-x-3 text-meta text-subtle">
          <span className="font-mono wrap-anywhere">{topic}</span>
          <span className="tabular-nums">{describeOffset(shown.offset_ns)}</span>
        </figcaption>
      </figure>
      {pictures.length > 1 && (
        <ol aria-label="Pictures around the moment" className="grid grid-cols-4 gap-1 sm:gap-2" onKeyDown={onKeyDown}>
          {pictures.map((picture) => (
            <li key={picture.index}>
              <button
                type="button"
                aria-pressed={picture === shown}
                onClick={() => setIndex(picture.index)}
                className={cn(
                  "flex w-full flex-col items-center gap-0.5 overflow-hidden rounded-control border p-0.5 text-meta whitespace-nowrap tabular-nums max-sm:tracking-tight",
                  picture === shown ? "border-accent bg-selected" : "text-subtle hover:bg-hover",
                )}
              >
                <Image
                  unoptimized
                  src={address(picture.index)}
                  width={picture.width}
                  height={picture.height}
                  alt=""
                  loading="lazy"
                  className="aspect-4/3 w-full rounded-control object-contain"
                />
                {describeOffset(picture.offset_ns)}
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Place({ fix }: { fix: NonNullable<Capture["fix"]> }) {
  const text = `${fix.latitude.toFixed(6)}, ${fix.longitude.toFixed(6)}`;
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-table">
      <span className="text-subtle">Position</span>
      <span className="tabular-nums">{text}</span>
      {fix.altitude !== null && <span className="text-subtle tabular-nums">{fix.altitude.toFixed(1)} m</span>}
      <CopyButton text={text} name="Copy the position" />
      <span className="basis-full text-meta text-subtle">
        <span className="font-mono">{fix.topic}</span>, {describeOffset(fix.offset_ns)}
      </span>
    </div>
  );
}

/** Where the robot said it was, in a frame of its own. */
function Position({ position }: { position: NonNullable<Capture["position"]> }) {
  const text = [position.x, position.y, position.z].map((value) => value.toFixed(2)).join(", ");
  return (
    <div className="flex flex-wrap items-center gap-x-2 text-table">
      <span className="text-subtle">Position</span>
      <span className="tabular-nums">{text.replaceAll("-", "−")} m</span>
      {position.frame && (
        <span className="text-subtle">
          in <span className="font-mono">{position.frame}</span>
        </span>
      )}
      <CopyButton text={text} name="Copy the position" />
      <span className="basis-full text-meta text-subtle">
        <span className="font-mono">{position.topic}</span>, {describeOffset(position.offset_ns)}
      </span>
    </div>
  );
}

/** The log around the moment, with a line where the alert triggered. */
function Lines({ capture }: { capture: Capture }) {
  const { zone } = useTimeZone();
  const at = BigInt(capture.triggered_ns);
  const first = capture.lines.findIndex(({ time_ns: time }) => BigInt(time) > at);
  return (
    <ol aria-label="Log lines around the moment" className="font-mono text-meta">
      {capture.lines.map(({ time_ns: time, topic, level, node, text }, index) => (
        <li
          key={`${time} ${topic} ${index}`}
          className={cn("flex gap-2 py-0.5 max-sm:gap-1", index === first && index > 0 && "border-t border-accent")}
        >
          <span className="shrink-0 text-subtle tabular-nums">
            {formatInstant(msFromNs(BigInt(time)), zone, "millisecond").slice(11, 23)}
          </span>
          <LogLevelMark level={level} />
          <span className="min-w-0 wrap-anywhere">
            {node && <span className="text-subtle">{node}: </span>}
            {text}
          </span>
        </li>
      ))}
    </ol>
  );
}
