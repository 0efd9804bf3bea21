import Link from "next/link";
import { Disclosure } from "@/components/kit/disclosure";
import { plural } from "@/components/kit/format";
import { InstantTime } from "@/components/kit/time";
import { recordingHref } from "@/components/product/recording-links";
import type { Preview } from "./query";

const max = 20;

interface Entry {
  recording: string;
  device: string;
  at: string;
}

function List({ title, entries, total }: { title: string; entries: Entry[]; total: number }) {
  if (total === 0) return null;
  return (
    <Disclosure label={<span className="text-muted">{title}</span>} className="text-table">
      <ul className="mt-1 flex flex-col gap-0.5 pl-4">
        {entries.slice(0, max).map((entry) => (
          <li key={`${entry.recording} ${entry.at}`} className="flex gap-3">
            <Link href={recordingHref(entry.recording, { t: entry.at })} className="text-accent-text hover:underline">
              <InstantTime value={entry.at} />
            </Link>
            <span className="truncate text-muted">{entry.device}</span>
          </li>
        ))}
        {total > max && <li className="text-meta text-subtle">and {total - max} more</li>}
      </ul>
    </Disclosure>
  );
}

/** How the edited condition differs from the saved one: what it finds in addition, no longer, and still. */
export function PreviewComparison({ preview: { compare, recordings } }: { preview: Preview }) {
  if (!compare) return null;
  const entry = (recording: Preview["recordings"][number]) => (hit: { triggered_at: string }) => ({
    recording: recording.recording_id,
    device: recording.device_name,
    at: hit.triggered_at,
  });
  const added = recordings.flatMap((each) => each.hits.filter((hit) => hit.change === "new").map(entry(each)));
  const lost = recordings.flatMap((each) => (each.lost ?? []).map(entry(each)));
  return (
    <div className="flex flex-col gap-1 border-y py-2">
      <p className="text-table">
        Compared with version {compare.version}:{" "}
        <strong className="font-semibold tabular-nums">
          {compare.new_count + compare.lost_count === 0
            ? `the same ${plural(compare.kept_count, "hit")}`
            : `+${compare.new_count} new, −${compare.lost_count} gone, ${compare.kept_count} kept`}
        </strong>
      </p>
      <List title="What it would also find" entries={added} total={compare.new_count} />
      <List title="What it would no longer find" entries={lost} total={compare.lost_count} />
    </div>
  );
}
