"use client";

import { LaneCanvas } from "./lane-canvas";
import { pickColour, type Palette } from "./palette";
import { gutter } from "./plot-types";
import { describeState, type StateBand } from "./series-columns";
import type { TimeAxis } from "./time-axis";

/** The colour of a state: muted for no, off and the like; the same value has the same colour everywhere. */
function pickFill(palette: Palette, value: string): string {
  if (["false", "0", ""].includes(value)) return palette.borderStrong;
  return pickColour(palette, value);
}

interface StateLaneProps {
  axis: TimeAxis;
  bands: readonly StateBand[];
  height: number;
  label: string;
  /** Draws the playhead over the bands. */
  playhead?: boolean;
}

/** A text field over time across the whole width: one band for each value, with its name where there is room. */
export function StateLane({ axis, bands, height, label, playhead = false }: StateLaneProps) {
  return (
    <LaneCanvas
      axis={axis}
      height={height}
      role="img"
      aria-label={label}
      hasPlayhead={playhead}
      draw={({ context, width, height: tall, palette, x }) => {
        context.font = `11px ${palette.font}`;
        context.textBaseline = "middle";
        for (const band of bands) {
          const [from, to] = [x(band.from), x(band.to)];
          if (to < 0 || from > width) continue;
          const left = Math.max(0, from);
          const wide = Math.max(1, Math.min(width, to) - left);
          context.fillStyle = pickFill(palette, band.value);
          context.globalAlpha = band.merged > 0 ? 0.5 : 0.32;
          context.fillRect(left, 4, wide, tall - 8);
          context.globalAlpha = 1;
          context.fillRect(left, 4, Math.min(2, wide), tall - 8);
          if (wide < 24) continue;
          context.save();
          context.beginPath();
          context.rect(left, 0, wide - 3, tall);
          context.clip();
          context.fillStyle = palette.foreground;
          context.fillText(describeState(band), left + 6, tall / 2);
          context.restore();
        }
        if (!playhead || axis.playhead === null) return;
        context.fillStyle = palette.accent;
        context.fillRect(x(axis.playhead) - 1, 0, 2, tall);
      }}
    />
  );
}

/** The same below plots, whose values stand left of it. */
export function StatePlot(props: Omit<StateLaneProps, "playhead">) {
  return (
    <div style={{ paddingLeft: gutter.left, paddingRight: gutter.right }}>
      <StateLane {...props} />
    </div>
  );
}
