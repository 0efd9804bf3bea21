"use client";

import Link from "next/link";
import { Fragment } from "react";
import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { AlertMarks } from "@/components/health/alert-marks";
import { describeReading, MetricReading } from "@/components/health/metric-reading";
import { useClock } from "@/components/kit/clock";
import { formatInstant, formatRelative, toMillis } from "@/components/kit/format";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { toPhrase } from "@/domain/health/phrase";
import type { Robot } from "./query";
import { WeekBars } from "./week-bars";

/** How long ago, without the word: `8 h`. */
function Age({ value }: { value: string }) {
  const { zone } = useTimeZone();
  const at = toMillis(value);
  const age = useClock((now) => formatRelative(at, Math.max(now, at)).replace(/ ago$/, ""));
  return (
    <time dateTime={value} title={formatInstant(at, zone, "second")} className="whitespace-nowrap tabular-nums">
      {age}
    </time>
  );
}

/** Above the row's own link, which covers it. */
const over = "relative rounded-control hover:underline";

/** A robot in a line: what is open and for how long, its state, its metric, its last run, and a week of its alerts. */
export function RobotRow({ robot, scale }: { robot: Robot; scale: number }) {
  const { reading } = robot;
  const harm = reading?.judgement === "warning" || reading?.judgement === "critical" ? reading.judgement : null;
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Status tone={robot.worst ?? harm ?? robot.status} hideLabel />
        <Link
          href={`/devices/${robot.uid}`}
          prefetch={false}
          data-robot
          title={robot.name}
          className="truncate rounded-control font-medium after:absolute after:inset-0 hover:underline"
        >
          {robot.name}
        </Link>
        <DemoMark of={robot} />
      </span>
      <span className="text-meta">
        <AlertMarks counts={robot.open_by_severity} />
      </span>
      <span className="truncate text-muted max-lg:col-span-2">
        <State robot={robot} unhealthy={harm === null ? null : (reading?.label ?? null)} />
      </span>
      <Reading reading={robot.reading} />
      <span className="truncate text-meta text-subtle max-lg:text-right">
        {robot.last_run ? (
          <Link href={recordingHref(robot.last_run.recording_id)} prefetch={false} className={over}>
            last run <Age value={robot.last_run.started_at} />
          </Link>
        ) : (
          "no run"
        )}
      </span>
      <span className="flex justify-end max-lg:hidden">
        <WeekBars week={robot.week} scale={scale} />
      </span>
    </>
  );
}

/** What is wrong, the worst first: rules with open alerts, a metric out of its range, that it is not online. */
function State({ robot, unhealthy }: { robot: Robot; unhealthy: string | null }) {
  const { rules, status, last_seen_at: seen } = robot;
  const isAlone = rules.length === 0;
  const hasNothing = isAlone && unhealthy === null;
  return (
    <>
      <Rules robot={robot} />
      {isAlone && unhealthy !== null && `${unhealthy} out of range`}
      {(hasNothing || status !== "online") && (
        <>
          {!hasNothing && ", "}
          {hasNothing ? status.charAt(0).toUpperCase() + status.slice(1) : status}
          {status === "offline" && seen !== null && (
            <>
              {" "}
              <Age value={seen} />
            </>
          )}
        </>
      )}
    </>
  );
}

/** The worst rules with the age of their newest alert, each leading to it: `Motor overheating 8 h, Straining 3 d, +2`. */
function Rules({ robot: { uid, rules, more_rules: more } }: { robot: Robot }) {
  return (
    <>
      {rules.map((rule, at) => (
        <Fragment key={rule.rule_id}>
          {at > 0 && ", "}
          <Link
            href={rule.count > 1 ? `/alerts?device_id=${uid}&rule_id=${rule.rule_id}` : `/alerts/${rule.alert_id}`}
            prefetch={false}
            className={over}
          >
            <span className="text-foreground">{rule.name}</span> <Age value={rule.triggered_at} />
          </Link>
        </Fragment>
      ))}
      {more > 0 && (
        <>
          {", "}
          <Link
            href={`/alerts?device_id=${uid}&group=rule`}
            prefetch={false}
            aria-label={`${more} more rules with open alerts`}
            className={over}
          >
            +{more}
          </Link>
        </>
      )}
    </>
  );
}

function Reading({ reading }: Pick<Robot, "reading">) {
  if (!reading) return <span />;
  const { before, after } = toPhrase(reading) ?? { before: "", after: "" };
  const isOut = reading.judgement === "warning" || reading.judgement === "critical";
  return (
    <span
      className="flex min-w-0 items-center gap-1 text-meta text-muted"
      title={`${reading.label}: ${describeReading(reading)}`}
    >
      {before && <span className="truncate">{before}</span>}
      <MetricReading reading={reading} />
      {after && !isOut && <span className="truncate">{after}</span>}
    </span>
  );
}
