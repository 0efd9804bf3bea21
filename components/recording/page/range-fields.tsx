"use client";

import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Field } from "@/components/kit/field";
import { Input } from "@/components/kit/input";
import { usePlayback } from "@/components/recording/session/playback";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatMoment, parseMoment } from "./export-range";

const outOfOrder = "Must be after the start.";
const notATime = "Enter a time such as 2026-01-02 03:04:05.";

/** A range of the recording as two texts, at first the playback range, or else what is visible. */
export function useTypedRange() {
  const { axis, playback } = useTimeline();
  const { range: played } = usePlayback(playback);
  const [opened] = useState(() => played ?? { ...axis.span });
  const [fromText, setFromText] = useState(() => formatMoment(axis.ns(opened.from)));
  const [toText, setToText] = useState(() => formatMoment(axis.ns(opened.to)));
  const [from, to] = [parseMoment(fromText), parseMoment(toText)];
  const isOrdered = from !== null && to !== null && from <= to;
  return { from, to, isOrdered, fromText, setFromText, toText, setToText };
}

/** Where a range begins and ends, and what it is likely to be. */
export function RangeFields({ typed }: { typed: ReturnType<typeof useTypedRange> }) {
  const { axis, playback } = useTimeline();
  const { range: played } = usePlayback(playback);
  const { from, to, isOrdered, fromText, setFromText, toText, setToText } = typed;
  const show = (span: { from: number; to: number }) => {
    setFromText(formatMoment(axis.ns(span.from)));
    setToText(formatMoment(axis.ns(span.to)));
  };
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="From, UTC" error={from === null ? notATime : undefined}>
          <Input value={fromText} onValueChange={setFromText} autoComplete="off" />
        </Field>
        <Field label="To, UTC" error={to === null ? notATime : from !== null && !isOrdered ? outOfOrder : undefined}>
          <Input value={toText} onValueChange={setToText} autoComplete="off" />
        </Field>
      </div>
      <div className="-mt-2 flex flex-wrap gap-x-3">
        {played && (
          <Button variant="link" className="text-meta" onClick={() => show(played)}>
            Playback range
          </Button>
        )}
        <Button variant="link" className="text-meta" onClick={() => show(axis.span)}>
          Visible range
        </Button>
        <Button variant="link" className="text-meta" onClick={() => show(axis.bounds)}>
          Whole recording
        </Button>
      </div>
    </>
  );
}
