import Link from "next/link";
import { Duration } from "@/components/kit/measure";
import { Section } from "@/components/kit/page-header";
import { Shape } from "@/components/kit/shape";
import { InstantTime } from "@/components/kit/time";
import { recordingHref } from "@/components/product/recording-links";
import { Status } from "@/components/product/status";
import { exactIsoFromNs } from "@/domain/time/nanoseconds";
import { eventLooks, type Timeline } from "./timeline-lanes";

const shown = 100;

interface Entry {
  key: string;
  at: string;
  what: React.ReactNode;
  detail: React.ReactNode;
}

function listEntries(timeline: Timeline): Entry[] {
  const entries: Entry[] = [
    ...timeline.recordings.map((each) => ({
      key: each.uid,
      at: each.from,
      what: (
        <Link href={recordingHref(each.uid)} className="hover:underline">
          Recording {each.name || each.uid}
        </Link>
      ),
      detail:
        each.status === "error" ? (
          <Status tone="error">Could not be processed</Status>
        ) : (
          <Duration ms={Date.parse(each.to) - Date.parse(each.from)} />
        ),
    })),
    ...timeline.states.map((each) => ({
      key: `${each.at} ${each.status}`,
      at: each.at,
      what: <Status tone={each.status} />,
      detail: each.reason,
    })),
    ...timeline.alerts.map((each) => ({
      key: each.uid,
      at: each.at,
      what: (
        <Link href={`/alerts/${each.uid}`} className="hover:underline">
          <Status tone={each.severity}>{`Alert: ${each.rule_name}`}</Status>
        </Link>
      ),
      detail: each.status,
    })),
    ...timeline.events.map((each) => ({
      key: each.uid,
      at: each.at,
      what: (
        <Link
          href={recordingHref(each.recording_id, { t: exactIsoFromNs(BigInt(each.ns)) })}
          className="inline-flex items-center gap-1.5 hover:underline"
        >
          <Shape name={eventLooks[each.type]?.shape ?? "square"} className={eventLooks[each.type]?.colour} />
          {each.label}
        </Link>
      ),
      detail: `${each.type.replace("_", " ")} event`,
    })),
  ];
  return entries.sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** The same as the lanes show, as a list, newest first. */
export function TimelineList({ timeline }: { timeline: Timeline }) {
  const entries = listEntries(timeline);
  return (
    <Section
      title="What happened"
      description={entries.length > shown ? `The newest ${shown} of ${entries.length}` : undefined}
    >
      {entries.length === 0 ? (
        <p className="border-t py-3 text-table text-subtle">Nothing in this period.</p>
      ) : (
        <ol className="border-t">
          {entries.slice(0, shown).map((entry) => (
            <li
              key={entry.key}
              className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-b py-1.5 text-table sm:grid-cols-[13rem_minmax(0,1fr)_minmax(0,14rem)]"
            >
              <InstantTime value={entry.at} className="text-muted tabular-nums max-sm:order-last max-sm:text-meta" />
              <span className="min-w-0 truncate">{entry.what}</span>
              <span className="min-w-0 truncate text-muted">{entry.detail}</span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
