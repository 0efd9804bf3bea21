"use client";

import { ChevronDown, ChevronRight } from "lucide-react";
import { Button } from "@/components/kit/button";
import { plural } from "@/components/kit/format";
import type { PanelWidth } from "@/components/kit/panel-edge";
import { Switch } from "@/components/kit/switch";
import { ChartSurface } from "@/components/plots/chart-surface";
import { EventLane } from "@/components/recording/lanes/event-lane";
import { LabelEdge } from "@/components/recording/lanes/label-edge";
import { AlertLane, GapLane, RuleLane } from "@/components/recording/lanes/range-lanes";
import { useAddress } from "@/components/recording/session/address";
import { useTimeline } from "@/components/recording/session/timeline-context";

/** What happened, a lane each: alerts, events, the hits of each rule, gaps; only those that have something. */
export function LaneList(props: { isFolded: boolean; onFold: () => void; labels: PanelWidth }) {
  const { isFolded, onFold, labels } = props;
  const { axis, lanes, events, recording, left } = useTimeline();
  const [{ hide }, setAddress] = useAddress();
  const setHide = (next: string[]) => void setAddress({ hide: next.length > 0 ? next : null });
  const rules = lanes?.rules ?? [];
  const shownRules = hide.includes("all") ? [] : rules.filter((rule) => !hide.includes(rule.rule_id));
  const parts = [
    ...(lanes && lanes.alerts.length > 0 ? [plural(lanes.alerts.length, "alert")] : []),
    ...(events && events.total > 0 ? [plural(events.total, "event")] : []),
    ...(rules.length > 0 ? [`hits of ${plural(rules.length, "rule")}`] : []),
    ...(recording.gaps.length > 0 ? [plural(recording.gaps.length, "gap")] : []),
  ];
  return (
    <section aria-label="What happened" className="border-b">
      {!isFolded && (
        <div className="relative">
          <LabelEdge labels={labels} isPointerOnly />
          <AlertLane />
          <EventLane />
          <ChartSurface axis={axis} left={left} drag="pan">
            {shownRules.map((rule) => (
              <RuleLane key={rule.rule_id} rule={rule} onHide={() => setHide([...hide, rule.rule_id])} />
            ))}
            <GapLane />
          </ChartSurface>
        </div>
      )}
      <div className="flex min-h-7 items-center gap-4 pr-3 pl-2 text-meta text-muted">
        <Button
          variant="ghost"
          size="sm"
          aria-expanded={!isFolded}
          icon={isFolded ? <ChevronRight aria-hidden /> : <ChevronDown aria-hidden />}
          disabledReason={parts.length > 0 ? undefined : "No alert, event or rule hit in this recording."}
          onClick={onFold}
        >
          {parts.length > 0 ? parts.join(", ") : "Nothing happened"}
        </Button>
        {rules.length > 0 && !isFolded && (
          <Switch
            checked={shownRules.length > 0}
            onCheckedChange={(on) => setHide(on ? [] : ["all"])}
            label={`Rule hits of ${rules.length}`}
          />
        )}
        {shownRules.length > 0 && shownRules.length < rules.length && !isFolded && (
          <Button variant="link" className="text-meta" onClick={() => setHide([])}>
            Show {rules.length - shownRules.length} hidden
          </Button>
        )}
      </div>
    </section>
  );
}
