"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Field } from "@/components/kit/field";
import { formatBytes, formatNumber, plural } from "@/components/kit/format";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { readRate } from "./last-rate";
import { PanelForm, usePanelChoice } from "./panel-form";
import { RangeHandles } from "./range-handles";
import { toRateInput, type MomentPreview, type MomentTarget, type RangeSource } from "./source";
import { TopicChoice } from "./topic-choice";
import type { AddInput } from "./use-add-moment";

const settleMs = 200;

/** What is ticked at first: cameras, else point clouds. */
function suggest({ topics }: MomentPreview): string[] {
  const held = topics.filter(({ frames }) => frames > 0);
  const cameras = held.filter(({ kind }) => kind === "image");
  return (cameras.length > 0 ? cameras : held.filter(({ kind }) => kind === "points")).map(({ name }) => name);
}

/** What is added, in one line. */
function describe(preview: MomentPreview, topics: number, clip: boolean): string {
  if (preview.refused === "too_many")
    return `${formatNumber(preview.frames)} frames are too many: at most ${formatNumber(preview.max_frames)}. Choose a lower rate.`;
  if (preview.frames === 0) return "Nothing is chosen.";
  const about = preview.exact ? "" : "≈ ";
  const frames = preview.frames - (clip ? 1 : 0);
  const what = [frames > 0 && `${about}${plural(frames, "frame")} from ${plural(topics, "topic")}`, clip && "a clip"];
  const present = preview.present > 0 ? `; ${formatNumber(preview.present)} are in it already` : "";
  return `${what.filter(Boolean).join(" and ")}, about ${formatBytes(Number(preview.bytes))}${present}`;
}

/** Chooses what of a range of a recording goes to which dataset. */
export default function RangePanel(props: {
  source: RangeSource;
  busy: boolean;
  onAdd: (target: MomentTarget, what: AddInput) => Promise<void>;
}) {
  const { source, busy, onAdd } = props;
  const trpc = useTRPC();
  const choice = usePanelChoice();
  const [range, setRange] = useState({ from: source.from, to: source.to });
  const [settled, setSettled] = useState(range);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(range), settleMs);
    return () => clearTimeout(timer);
  }, [range]);
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const [clip, setClip] = useState(false);
  const [rate, setRate] = useState(readRate);
  const [note, setNote] = useState("");
  const wanted = {
    recording_id: source.recordingId,
    from: String(settled.from),
    to: String(settled.to),
    clip,
    ...toRateInput(rate),
  };
  const query = useQuery({
    ...trpc.moments.preview.queryOptions({
      ...wanted,
      topics: chosen === null ? undefined : [...chosen],
      dataset: choice.dataset,
    }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const preview = query.data;
  // Ticked by what the range has, until somebody chooses.
  const topics = chosen ?? new Set(preview ? suggest(preview) : []);
  const toggle = (name: string, on: boolean) => {
    const next = new Set(topics);
    if (on) next.add(name);
    else next.delete(name);
    setChosen(next);
  };
  const clouds = preview?.topics.some(({ name, kind }) => topics.has(name) && kind === "points") ?? false;
  // What was counted may be a moment behind; the server counts again.
  const input = {
    ...wanted,
    from: String(range.from),
    to: String(range.to),
    topics: [...topics],
    alert_id: source.alertId,
    event_id: source.eventId,
    rule_id: source.ruleId,
    note,
  };
  return (
    <PanelForm
      choice={choice}
      dataType={topics.size === 0 && clip ? "mcap" : clouds ? "lidar" : "image"}
      rate={rate}
      setRate={setRate}
      note={note}
      setNote={setNote}
      busy={busy}
      ready={preview !== undefined && preview.refused === null && preview.frames > 0}
      line={preview ? describe(preview, topics.size, clip) : query.error ? "" : "Counting…"}
      onAdd={(target) => onAdd(target, { kind: "range", input })}
    >
      {query.error && !preview ? (
        <ErrorState
          error={query.error}
          title="The range could not be read"
          onRetry={() => void query.refetch()}
          className="py-2"
        />
      ) : (
        <Field label="What" group>
          <TopicChoice
            recordingId={source.recordingId}
            topics={preview?.topics ?? []}
            chosen={topics}
            toggle={toggle}
            clip={clip}
            setClip={(on) => {
              setChosen(topics);
              setClip(on);
            }}
          />
        </Field>
      )}
      <Field label="Range" group>
        <RangeHandles source={source} range={range} setRange={setRange} />
      </Field>
    </PanelForm>
  );
}
