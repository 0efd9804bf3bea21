"use client";

import { Check, X } from "lucide-react";
import { cn } from "@/components/kit/cn";
import { KeyValue } from "@/components/kit/key-value";
import { ElapsedTime, InstantTime } from "@/components/kit/time";
import { TruncateMiddle } from "@/components/kit/truncate";
import { plotPath } from "@/domain/conditions/drawn-field";
import { evidenceTexts } from "@/domain/conditions/evidence-texts";
import { valueText } from "@/domain/conditions/phrases";
import { getKind } from "@/domain/conditions/registry";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { spanText } from "@/domain/conditions/sentences";
import { heartbeatTopic } from "@/domain/conditions/topics";
import { msFromNs } from "@/domain/time/nanoseconds";
import type { AlertDetail } from "./query";

const cell = "border-b px-2 py-1.5 text-left align-top first:pl-0 last:pr-0";

function LeafRow({ leaf, triggeredMs }: { leaf: LeafEvidence; triggeredMs: number }) {
  const at = leaf.value_at === null ? null : msFromNs(BigInt(leaf.value_at));
  const kind = getKind(leaf);
  const { subject, value, unit } = evidenceTexts(leaf);
  const origin = kind.describeOrigin(leaf);
  const before = at === null ? null : Math.round(triggeredMs - at);
  return (
    <tr>
      <td className={cn(cell, "whitespace-nowrap")}>
        <span className={cn("inline-flex items-center gap-1", leaf.holds ? "text-foreground" : "text-muted")}>
          {leaf.holds ? (
            <Check aria-hidden className="size-3.5" strokeWidth={3} />
          ) : (
            <X aria-hidden className="size-3.5 text-subtle" />
          )}
          {leaf.holds ? "Held" : "Did not hold"}
        </span>
      </td>
      <td className={cn(cell, "min-w-0 break-words")}>
        {leaf.topic === heartbeatTopic ? (
          <span className="block text-meta text-muted">{subject}</span>
        ) : (
          <TruncateMiddle text={plotPath(leaf)} tail={20} className="font-mono text-meta" />
        )}
        <span className="block">{kind.describeEvidence(leaf)}</span>
      </td>
      <td className={cn(cell, "min-w-20 text-right break-words")}>
        <span
          className={cn("tabular-nums", leaf.holds && "font-medium")}
          title={Array.isArray(leaf.value) ? leaf.value.map(valueText).join(", ") : undefined}
        >
          {value}
        </span>
        {unit && <span className="text-subtle"> {unit}</span>}
        {origin !== null && <span className="block text-meta text-subtle">{origin}</span>}
        {before !== null && before > 0 && <span className="block text-meta text-subtle">{before} ms before</span>}
      </td>
    </tr>
  );
}

/** The evidence: every condition of the rule with its value at that instant, and whether it held. */
export function AlertEvidence({ alert }: { alert: AlertDetail }) {
  const { evidence } = alert;
  if (evidence.kind === "test") {
    return <p className="text-table text-muted">No rule triggered this. It was sent by hand as a test.</p>;
  }
  if (evidence.kind === "heartbeat") {
    return (
      <KeyValue
        items={[
          ["Condition", `No heartbeat for ${evidence.offline_after_seconds} s`],
          ["Last heartbeat", <InstantTime key="seen" value={evidence.last_seen_at} />],
          ...(alert.status === "resolved"
            ? []
            : [["Silent for", <ElapsedTime key="for" since={evidence.last_seen_at} />] as const]),
        ]}
      />
    );
  }
  if (evidence.kind === "other") {
    const entries = Object.entries(evidence.values);
    if (entries.length === 0) return <p className="text-table text-muted">The rule stored no values.</p>;
    return <KeyValue items={entries.map(([name, value]) => [name, valueText(value)] as const)} />;
  }
  return (
    <div>
      <table
        className="w-full table-fixed border-separate border-spacing-0 text-table"
        aria-label="Conditions when it triggered"
      >
        <thead>
          <tr className="text-meta text-subtle">
            <th scope="col" className={cn(cell, "w-28 font-normal")}>
              State
            </th>
            <th scope="col" className={cn(cell, "w-1/2 font-normal")}>
              Condition
            </th>
            <th scope="col" className={cn(cell, "text-right font-normal")}>
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {evidence.leaves.map((leaf) => (
            <LeafRow key={`${leaf.path} ${leaf.topic}`} leaf={leaf} triggeredMs={Date.parse(alert.triggered_at)} />
          ))}
        </tbody>
      </table>
      {(evidence.window !== null || evidence.suppressed > 0 || evidence.storm) && (
        <p className="mt-2 text-meta text-subtle">
          {[
            evidence.window !== null && `Had to hold for ${spanText(evidence.window)}.`,
            evidence.suppressed > 0 && `The cooldown suppressed ${evidence.suppressed} more triggers.`,
            evidence.storm && "It triggered so often that the rule was stopped in this recording.",
          ]
            .filter(Boolean)
            .join(" ")}
        </p>
      )}
    </div>
  );
}
