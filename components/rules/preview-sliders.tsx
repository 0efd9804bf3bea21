"use client";

import { useId } from "react";
import { formatNumber } from "@/components/kit/format";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { durationOrZero, parseDuration } from "@/domain/time/duration";
import { comparesOverTime, isDrawnOnField } from "./conditions/condition-draft";
import { type TopicChoice, seenField } from "./conditions/topic-choices";

const steps = 200;
/** Windows that the slider offers beside none. */
const windows = "100ms 200ms 500ms 1s 2s 3s 5s 10s 15s 20s 30s 1m 2m 5m 10m".split(" ");

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
        className="slider"
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

/**
 * The observed range, extended where the value lies at its end or beyond. It begins at a multiple of its step, so that
 * the slider stops at short numbers.
 */
function rangeAround(value: number, seenMin: number, seenMax: number): { low: number; high: number; step: number } {
  const room = Math.max(Math.abs(value - seenMin), Math.abs(seenMax - value)) / 2;
  const [low, high] = [value > seenMin ? seenMin : value - room, value < seenMax ? seenMax : value + room];
  const step = Number(((high - low) / steps).toPrecision(1));
  return step > 0
    ? { low: Math.floor(low / step) * step, high: Math.ceil(high / step) * step, step }
    : { low, high, step };
}

export interface PreviewSlidersProps {
  condition: ConditionDraft;
  onChange: (condition: ConditionDraft) => void;
  topics: readonly TopicChoice[] | undefined;
}

/** Sliders for a threshold's value and window, over the field's observed range; the preview follows. */
export function PreviewSliders({ condition, onChange, topics }: PreviewSlidersProps) {
  const { topic = "", field = "", value, window } = condition;
  if (!comparesOverTime(condition) || typeof value !== "number") return null;
  // The field's observed range does not apply to a value on another scale.
  const seen = isDrawnOnField(condition) ? seenField(topics, topic, field) : undefined;
  const { low, high, step } = rangeAround(value, seen?.min ?? value, seen?.max ?? value);
  const held = parseDuration(window ?? "") ?? 0n;
  const at = windows.filter((each) => durationOrZero(each) <= held).length;
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
        max={windows.length}
        step={1}
        value={at}
        onChange={(next) => onChange({ ...condition, window: windows[next - 1] })}
      />
    </div>
  );
}
