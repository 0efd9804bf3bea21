"use client";

import { useId } from "react";
import { formatNumber } from "@/components/kit/format";
import { durationOrZero, durationText } from "@/domain/time/duration";
import { msFromNs, nsFromMs } from "@/domain/time/nanoseconds";
import type { ConditionDraft } from "./draft";
import type { TopicChoice } from "./query";
import { fieldOf } from "./topic-choices";

const steps = 200;
/** Windows that a slider offers, in milliseconds. */
const windows = [
  0, 100, 200, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 15_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
];

function Slider(props: {
  label: string;
  text: string;
  min: number;
  max: number;
  step: number;
  value: number;
  onChange: (value: number) => void;
}) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
      <span className="flex justify-between gap-3 text-meta">
        <label htmlFor={id} className="text-muted">
          {props.label}
        </label>
        <output htmlFor={id} className="tabular-nums">
          {props.text}
        </output>
      </span>
      <input
        id={id}
        type="range"
        className="h-6 w-full accent-(--accent)"
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value}
        aria-valuetext={props.text}
        onChange={(event) => props.onChange(Number(event.target.value))}
      />
    </div>
  );
}

/** What was seen, and room to slide further where the value lies at its end or beyond. */
function rangeAround(value: number, seenMin: number, seenMax: number): [number, number] {
  const room = Math.max(Math.abs(value - seenMin), Math.abs(seenMax - value)) / 2;
  return [value > seenMin ? seenMin : value - room, value < seenMax ? seenMax : value + room];
}

export interface PreviewSlidersProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  topics: readonly TopicChoice[] | undefined;
}

/** A threshold's value and window to slide, over what the field was seen to be; the preview follows. */
export function PreviewSliders({ condition, onChange, topics }: PreviewSlidersProps) {
  const { type, topic = "", field = "", value, window } = condition;
  if (type !== "threshold" || typeof value !== "number") return null;
  const seen = fieldOf(topics, topic, field);
  const [low, high] = rangeAround(value, seen?.min ?? value, seen?.max ?? value);
  const step = Number(((high - low) / steps).toPrecision(1));
  const at = Math.max(
    0,
    windows.findLastIndex((each) => each <= msFromNs(durationOrZero(window))),
  );
  return (
    <div className="flex flex-wrap gap-x-6 gap-y-2">
      {high > low && (
        <Slider
          label="Value"
          text={`${formatNumber(value, 4)}${seen?.unit ? ` ${seen.unit}` : ""}`}
          min={low}
          max={high}
          step={step}
          value={value}
          onChange={(next) => onChange({ ...condition, value: Number(next.toPrecision(6)) })}
        />
      )}
      <Slider
        label="Held for"
        text={window || "no time"}
        min={0}
        max={windows.length - 1}
        step={1}
        value={at}
        onChange={(next) => {
          const ms = windows[next] ?? 0;
          onChange({ ...condition, window: ms === 0 ? undefined : durationText(nsFromMs(ms)) });
        }}
      />
    </div>
  );
}
