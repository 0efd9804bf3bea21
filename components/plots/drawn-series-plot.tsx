"use client";

import { Table2 } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type PointerEvent } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { momentAt } from "./crosshair";
import { FieldPlot } from "./field-plot";
import type { SeriesPlotProps } from "./plot-types";
import { secondsFrom, TimeAxis } from "./time-axis";

/** The drawing of `SeriesPlot`, loaded when the first plot is on screen. */
export function DrawnSeriesPlot(props: SeriesPlotProps) {
  const { fromNs, toNs, height = 160, thresholds, bands, marks } = props;
  const [table, setTable] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const axis = useMemo(
    () => new TimeAxis(fromNs, { from: 0, to: Math.max(secondsFrom(fromNs, toNs), 0.001) }),
    [fromNs, toNs],
  );
  useEffect(() => () => axis.point(null), [axis]);
  const onPointerMove = (event: PointerEvent) => {
    const box = host.current?.getBoundingClientRect();
    if (box) axis.point(momentAt(axis, event.clientX - box.left, box.width));
  };
  return (
    <div ref={host} className="min-w-0" onPointerMove={onPointerMove} onPointerLeave={() => axis.point(null)}>
      <FieldPlot
        key={`${props.topic} ${props.field}`}
        axis={axis}
        recordingUid={props.recordingUid}
        topic={props.topic}
        field={props.field}
        fromNs={fromNs}
        toNs={toNs}
        height={height}
        thresholds={thresholds}
        bands={bands}
        marks={marks}
        onThresholdChange={props.onThresholdChange}
        unit={props.unit}
        times
        table={table}
        head={({ readout }) => (
          <div className="flex h-7 min-w-0 items-center justify-end gap-2">
            <span className="flex min-w-0 flex-1 justify-end">{readout}</span>
            <IconButton
              size="sm"
              label={table ? "Show as plot" : "Show as table"}
              icon={<Table2 aria-hidden />}
              aria-pressed={table}
              onClick={() => setTable((before) => !before)}
            />
          </div>
        )}
      />
    </div>
  );
}
