"use client";

import { useState } from "react";
import { MomentPlot } from "@/components/health/moment-plot";
import { ButtonLink } from "@/components/kit/button";
import { Select } from "@/components/kit/select";
import { SeriesPlot } from "@/components/plots/series-plot";
import { recordingHref } from "@/components/product/recording-links";
import { heldBands } from "@/domain/alerts/held-band";
import { drawnField, plotPath } from "@/domain/conditions/drawn-field";
import { drawnThresholds } from "@/domain/conditions/drawn-thresholds";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { heartbeatTopic } from "@/domain/conditions/topics";
import { durationOrZero } from "@/domain/time/duration";
import { exactIsoFromNs, nsPerSecond, parseDateTimeNs } from "@/domain/time/nanoseconds";
import { GoodRunLink } from "./good-run-link";
import type { AlertDetail } from "./query";

const around = 30n * nsPerSecond;
const lookBack = 5n * nsPerSecond;

const getTriggerTime = (alert: AlertDetail): bigint => parseDateTimeNs(alert.triggered_at) ?? 0n;

/** The conditions that have a field to draw, those that held first; one for each field. */
function plottable(alert: AlertDetail): LeafEvidence[] {
  const { evidence } = alert;
  if (evidence.kind !== "rule") return [];
  const drawn = evidence.leaves
    .map((leaf) => ({ ...leaf, field: drawnField(leaf) }))
    .filter((leaf) => leaf.field !== null);
  const ordered = [...drawn.filter((leaf) => leaf.holds), ...drawn.filter((leaf) => !leaf.holds)];
  return ordered.filter((leaf, at) => ordered.findIndex((other) => plotPath(other) === plotPath(leaf)) === at);
}

/** The address of the recording shortly before the alert triggered, with its field plotted. */
export function momentHref(alert: AlertDetail): string | null {
  if (alert.recording_id === null) return null;
  const at = getTriggerTime(alert);
  const leaf = plottable(alert)[0];
  return recordingHref(alert.recording_id, {
    t: exactIsoFromNs(at - lookBack),
    from: exactIsoFromNs(at - around),
    to: exactIsoFromNs(at + around),
    ...(leaf && { plots: [plotPath(leaf)] }),
    topic: leaf?.topic ?? (alert.evidence.kind === "rule" ? alert.evidence.topic : undefined),
    layout: "suggested",
  });
}

/** The metric of an alert about heartbeats with what the rule compared it with; null for other alerts. */
export function findMetric({ evidence }: AlertDetail): { leaf: LeafEvidence; name: string } | null {
  if (evidence.kind !== "rule") return null;
  const drawn = evidence.leaves.flatMap((leaf) => {
    const name = leaf.topic === heartbeatTopic ? drawnField(leaf) : null;
    return name === null ? [] : [{ leaf, name }];
  });
  return drawn.find(({ leaf }) => leaf.holds) ?? drawn[0] ?? null;
}

/** The metric of an alert about heartbeats in the hour around it. */
export function AlertMetricPlot({ alert }: { alert: AlertDetail }) {
  const found = findMetric(alert);
  if (!found || alert.evidence.kind !== "rule") return null;
  const { leaf, name } = found;
  return (
    <MomentPlot
      device={alert.device_id}
      name={name}
      at={Date.parse(alert.triggered_at)}
      severity={alert.severity}
      thresholds={drawnThresholds(leaf)}
      held={Number(durationOrZero(leaf.window ?? alert.evidence.window) / 1_000_000n)}
    />
  );
}

/** The field around the trigger, the rule's window shaded, and a link to the recording. */
export function AlertPlot({ alert }: { alert: AlertDetail }) {
  const leaves = plottable(alert);
  const [chosen, setChosen] = useState<string | null>(null);
  const leaf = leaves.find((each) => plotPath(each) === chosen) ?? leaves[0];
  const href = momentHref(alert);
  if (alert.recording_id === null || href === null) return null;
  const at = getTriggerTime(alert);
  return (
    <div className="flex flex-col gap-2">
      {leaf?.field && (
        <>
          {leaves.length > 1 ? (
            <Select
              size="sm"
              aria-label="Field to plot"
              options={leaves.map((each) => ({ value: plotPath(each), label: plotPath(each) }))}
              value={plotPath(leaf)}
              onValueChange={setChosen}
              className="font-mono"
            />
          ) : (
            <p className="truncate font-mono text-meta text-muted" title={plotPath(leaf)}>
              {plotPath(leaf)}
            </p>
          )}
          <SeriesPlot
            key={plotPath(leaf)}
            recordingUid={alert.recording_id}
            topic={leaf.topic}
            field={leaf.field}
            fromNs={at - around}
            toNs={at + around}
            height={168}
            thresholds={drawnThresholds(leaf).map((value) => ({ value, severity: alert.severity }))}
            bands={heldBands(alert.evidence, leaf, at)}
            marks={[{ atNs: at, label: "Triggered", severity: alert.severity }]}
          />
        </>
      )}
      {!leaf && <p className="text-table text-muted">Its conditions have no single field that can be plotted.</p>}
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={href} size="sm">
          Open at this moment
        </ButtonLink>
        <GoodRunLink alert={alert} recording={alert.recording_id} plots={leaf ? [plotPath(leaf)] : []} />
      </div>
    </div>
  );
}
