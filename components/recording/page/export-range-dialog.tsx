"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "@/components/kit/checkbox";
import { CodeBlock } from "@/components/kit/code-block";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { Bytes } from "@/components/kit/measure";
import { Select, type Option } from "@/components/kit/select";
import { toast } from "@/components/product/toast";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { recordingTitle } from "@/components/recordings/query";
import { useTRPC } from "@/components/trpc/client";
import { maxCsvTopics } from "@/domain/cuts/schema";
import {
  canHold,
  formatMoment,
  toAddress,
  toCommand,
  toVideoName,
  type ExportFormat,
  type RangeExport,
} from "./export-range";
import { RangeFields, useTypedRange } from "./range-fields";
import { findVideoObstacle, useVideoExport, VideoFields } from "./video-export";

/** `noVideo`: why the browser makes none. */
const listFormats = (noVideo: string | null): Option<ExportFormat>[] => [
  { value: "mcap", label: "MCAP", hint: "Messages as recorded, for Foxglove, Rerun and ROS" },
  { value: "csv", label: "CSV", hint: "A table for each topic, one column for each field" },
  { value: "pictures", label: "Pictures", hint: "A file for each picture, named by its time" },
  {
    value: "video",
    label: "Video",
    hint: noVideo ?? "One camera as MP4, which this browser makes",
    disabled: noVideo !== null,
  },
];

/** Topics that are listed at once. */
const maxListed = 200;
/** Topics that an address may name. */
const maxNamed = 100;

/** Saves a range of the recording as a file. */
export function ExportRangeDialog({ onClose }: { onClose: () => void }) {
  const { axis, recording } = useTimeline();
  const trpc = useTRPC();
  const typed = useTypedRange();
  const { from, to, isOrdered: ordered } = typed;
  const [format, setFormat] = useState<ExportFormat>("mcap");
  const [formats] = useState(() => listFormats(findVideoObstacle()));
  const [camera, setCamera] = useState<string | null>(null);
  const video = useVideoExport();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [search, setSearch] = useState("");
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const sizes = useQuery({
    ...trpc.cuts.sizes.queryOptions({ uid: recording.uid, from: String(from ?? 0), to: String(to ?? 0) }),
    enabled: ordered,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const bytes = new Map(sizes.data?.topics.map((topic) => [topic.name, topic.bytes]));
  const offered = recording.topics.filter((topic) => canHold(format, topic));
  const chosen = offered.filter(({ name }) => !left.has(name));
  const shown = offered.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const whole = chosen.length === recording.topics.length;
  const total = whole
    ? sizes.data?.total_bytes
    : sizes.data && chosen.reduce((sum, { name }) => sum + (bytes.get(name) ?? 0), 0);
  const problem = getProblem(format, chosen.length, offered.length, chosen.length === offered.length);
  const wantedCamera = offered.find(({ name }) => name === camera)?.name ?? offered[0]?.name;
  const wanted: RangeExport | null =
    format !== "video" && from !== null && to !== null && ordered
      ? {
          uid: recording.uid,
          from,
          to,
          topics: chosen.length === offered.length ? null : chosen.map(({ name }) => name),
          format,
        }
      : null;
  const toggle = (names: readonly string[], on: boolean) => {
    const next = new Set(left);
    for (const name of names) {
      if (on) next.delete(name);
      else next.add(name);
    }
    setLeft(next);
  };
  const close = () => {
    video.cancel();
    onClose();
  };
  const saveVideo = async () => {
    if (from === null || to === null || !ordered || wantedCamera === undefined) return;
    if (await video.save({ topic: wantedCamera, from, to }, toVideoName(recordingTitle(recording), from))) onClose();
  };
  const download = async () => {
    if (format === "video") return saveVideo();
    if (wanted === null) return;
    setBusy(true);
    setRefusal(null);
    try {
      const address = toAddress(wanted);
      // A refusal would be saved in place of the file: it is asked for before.
      const { ok, status, headers } = await fetch(address, { method: "HEAD" });
      if (!ok) return setRefusal(explain(status, headers.get("retry-after")));
      Object.assign(document.createElement("a"), { href: address, download: "" }).click();
      onClose();
    } catch (error) {
      toast.failure(error, { title: "The range was not exported" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      // Two times to the nanosecond fit beside each other.
      size="lg"
      title="Export a range"
      description={`Of ${formatMoment(axis.ns(axis.bounds.from))} to ${formatMoment(axis.ns(axis.bounds.to))} UTC`}
      footer={
        <>
          <p className="mr-auto text-table text-muted" aria-live="polite">
            {problem ??
              refusal ??
              (total === undefined || format === "video" ? (
                ""
              ) : (
                <>
                  About <Bytes value={total} />
                </>
              ))}
          </p>
          <DialogActions
            action="Download"
            busy={busy || video.share !== null}
            disabled={!ordered || problem !== null}
            onAction={download}
            onCancel={close}
          />
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (problem === null) void download();
        }}
      >
        <RangeFields typed={typed} />
        <Field label="Format" hint={formats.find(({ value }) => value === format)?.hint}>
          <Select value={format} onValueChange={setFormat} options={formats} />
        </Field>
        {format === "video" ? (
          <VideoFields cameras={offered} camera={wantedCamera ?? null} onCamera={setCamera} share={video.share} />
        ) : (
          <fieldset className="flex min-w-0 flex-col gap-1.5">
            <legend className="mb-1.5 text-table font-medium">Topics</legend>
            <div className="flex items-center gap-3">
              <Checkbox
                label={`All ${offered.length}`}
                checked={chosen.length === offered.length && offered.length > 0}
                indeterminate={chosen.length > 0 && chosen.length < offered.length}
                disabled={offered.length === 0}
                onCheckedChange={(on) =>
                  toggle(
                    offered.map(({ name }) => name),
                    on,
                  )
                }
              />
              {offered.length > 8 && (
                <Input
                  aria-label="Search topics"
                  placeholder="Search topics"
                  value={search}
                  onValueChange={setSearch}
                  className="ml-auto w-48"
                />
              )}
            </div>
            <ul className="max-h-48 overflow-y-auto rounded-panel border" aria-label="Topics to export">
              {shown.slice(0, maxListed).map(({ name }) => (
                <li key={name} className="flex items-center gap-3 border-b px-2 py-1 last:border-b-0">
                  <Checkbox
                    label={<span className="font-mono text-meta break-all">{name}</span>}
                    className="min-w-0 flex-1"
                    checked={!left.has(name)}
                    onCheckedChange={(on) => toggle([name], on)}
                  />
                  <span className="shrink-0 text-meta text-muted">
                    {bytes.has(name) && <Bytes value={bytes.get(name) ?? 0} />}
                  </span>
                </li>
              ))}
              {shown.length === 0 && <li className="px-2 py-2 text-meta text-muted">No topic fits.</li>}
              {shown.length > maxListed && (
                <li className="px-2 py-2 text-meta text-muted">{shown.length - maxListed} more; search for them.</li>
              )}
            </ul>
          </fieldset>
        )}
        {wanted !== null && (
          <Field label="On the command line" group>
            <CodeBlock code={toCommand(wanted)} wrap />
          </Field>
        )}
        <button type="submit" hidden />
      </form>
    </Dialog>
  );
}

/** Why the choice cannot be exported; null when it can. */
function getProblem(format: ExportFormat, chosen: number, offered: number, all: boolean): string | null {
  if (offered === 0) return format === "csv" ? "No topic has fields for a table." : "No topic has pictures.";
  if (format === "video") return null;
  if (chosen === 0) return "Choose a topic.";
  if (format === "csv" && chosen > maxCsvTopics) return `Choose at most ${maxCsvTopics} topics.`;
  return all || chosen <= maxNamed ? null : `Choose all topics, or at most ${maxNamed}.`;
}

function explain(status: number, retryAfter: string | null): string {
  if (status === 429) return `Too many ranges are being downloaded. Try again in ${retryAfter ?? "a few"} seconds.`;
  if (status === 400) return "The recording holds nothing of this in the range.";
  return "The recording's files cannot be read.";
}
