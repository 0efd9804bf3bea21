"use client";

import { BatteryCharging, BatteryFull, BatteryLow, BatteryMedium, BatteryWarning } from "lucide-react";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { Skeleton } from "@/components/kit/skeleton";
import { describeAbsence } from "@/components/product/panel-texts";
import { UnshownMessage } from "@/components/product/unshown-message";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { useLatestMessage } from "@/components/recording/session/use-latest-message";
import { UnreadableMessage } from "@/engine/messages/reading";
import { isBatterySchema, readBattery, type Battery } from "@/engine/messages/texts/battery";

/** Percent below which somebody should look. */
const low = 20;
/** Batteries of which the states at the playhead are shown. */
const maxCards = 4;

function BatteryIcon({ battery: { percent, status }, className }: { battery: Battery; className: string }) {
  if (status === "charging") return <BatteryCharging aria-hidden className={className} />;
  if (percent === null) return <BatteryWarning aria-hidden className={className} />;
  if (percent < low) return <BatteryLow aria-hidden className={className} />;
  return percent < 80 ? (
    <BatteryMedium aria-hidden className={className} />
  ) : (
    <BatteryFull aria-hidden className={className} />
  );
}

/** "discharging at 1.25 A": the amount of the current where its sign says the same as the status. */
function describeStatus({ status, current }: Battery): string {
  const word = status ?? "status unknown";
  if (current === null || current === 0) return word;
  const agrees = status === (current < 0 ? "discharging" : "charging");
  const amount = formatNumber(Math.abs(current));
  return agrees ? `${word} at ${amount} A` : `${word}, current ${current < 0 ? "−" : ""}${amount} A`;
}

/** How full a battery is, and what else its message says, in words. */
export function BatteryCard({ value, topic }: { value: unknown; topic: string }) {
  let battery: Battery;
  try {
    battery = readBattery(value);
  } catch (error) {
    if (error instanceof UnreadableMessage) return null;
    throw error;
  }
  const { percent, voltage, temperature, health, technology, isOutOfScale, isPresent } = battery;
  const isLow = percent !== null && percent < low;
  const facts = [
    describeStatus(battery),
    voltage !== null && `${formatNumber(voltage)} V`,
    temperature !== null && `${formatNumber(temperature, 1)} °C`,
    health,
    technology,
  ].filter((fact) => typeof fact === "string");
  return (
    <section aria-label={`Battery ${topic}`} className="flex flex-col gap-1.5 rounded-panel border bg-surface p-3">
      <p className="flex items-center gap-2">
        <BatteryIcon battery={battery} className={cn("size-5 shrink-0", isLow ? "text-warning-text" : "text-muted")} />
        <span className={cn("text-title font-semibold tabular-nums", isLow && "text-warning-text")}>
          {percent === null ? "Charge unknown" : `${formatNumber(percent, 0)} %`}
        </span>
        <span className="min-w-0 flex-1 truncate text-right font-mono text-meta text-subtle" title={topic}>
          {topic}
        </span>
      </p>
      {percent !== null && (
        <div aria-hidden className="h-1.5 overflow-hidden rounded-full bg-border">
          <div className={cn("h-full", isLow ? "bg-warning" : "bg-accent")} style={{ width: `${percent}%` }} />
        </div>
      )}
      <p className="text-meta text-muted tabular-nums">
        {isPresent ? "" : "not present, "}
        {facts.join(", ")}
      </p>
      {isOutOfScale && (
        <p className="text-meta text-warning-text">
          The message gives its percentage as 0 to 100, where 0 to 1 is meant: it was divided by 100.
        </p>
      )}
    </section>
  );
}

/** The batteries of the recording at the playhead. */
export function BatteryCards() {
  const { recording } = useTimeline();
  const topics = recording.topics.filter(({ schema, error }) => isBatterySchema(schema) && error === null);
  return topics.slice(0, maxCards).map(({ name }) => <LatestBattery key={name} topic={name} />);
}

function LatestBattery({ topic }: { topic: string }) {
  const { zone } = useTimeZone();
  const { data, message, at } = useLatestMessage(topic);
  // As high as the card, so that nothing below moves.
  if (!data) return <Skeleton className="h-22" />;
  const isShown = message && message.error === null && BigInt(message.log_time_ns) <= at;
  if (isShown) return <BatteryCard value={message.value} topic={topic} />;
  const first = message && BigInt(message.log_time_ns) > at ? BigInt(message.log_time_ns) : null;
  return (
    <p className="min-h-22 text-meta text-muted">
      {message && message.error !== null ? (
        <UnshownMessage reason={message.error} message={{ topic, time: BigInt(message.log_time_ns) }} />
      ) : (
        describeAbsence(topic, first, at, zone)
      )}
    </p>
  );
}
