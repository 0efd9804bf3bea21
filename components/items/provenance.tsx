import Link from "next/link";
import { z } from "zod";
import { truncateMiddle } from "@/components/kit/format";

const text = z.string().optional();
const Source = z.object({
  device_id: text,
  device_name: text,
  recording_id: text,
  topic: text,
  t_ns: z.union([z.string(), z.number()]).optional(),
  alert_id: text,
  event_id: text,
  rule_id: text,
});

interface Chip {
  kind: string;
  text: string;
  href: string | null;
}

interface Names {
  device_name: string | null;
  recording_name: string | null;
  rule_name: string | null;
}

/** Where an item came from, as far as its metadata says: device, recording and moment, topic, alert, event, rule. */
function listChips(metadata: Readonly<Record<string, unknown>>, names: Names): Chip[] {
  const parsed = Source.safeParse(metadata.source);
  if (!parsed.success) return [];
  const { device_id, device_name, recording_id, topic, t_ns, alert_id, event_id, rule_id } = parsed.data;
  const short = (uid: string) => truncateMiddle(uid);
  const moment = t_ns === undefined ? "" : `?t=${t_ns}`;
  const chips: (Chip | null)[] = [
    device_id === undefined
      ? null
      : { kind: "Device", text: names.device_name ?? device_name ?? short(device_id), href: `/devices/${device_id}` },
    recording_id === undefined
      ? null
      : {
          kind: "Recording",
          text: names.recording_name ?? short(recording_id),
          href: names.recording_name === null ? null : `/recordings/${recording_id}${moment}`,
        },
    topic === undefined ? null : { kind: "Topic", text: topic, href: null },
    alert_id === undefined ? null : { kind: "Alert", text: short(alert_id), href: `/alerts/${alert_id}` },
    event_id === undefined ? null : { kind: "Event", text: short(event_id), href: `/events?selected=${event_id}` },
    rule_id === undefined
      ? null
      : {
          kind: "Rule",
          text: names.rule_name ?? short(rule_id),
          href: names.rule_name === null ? null : `/rules/${rule_id}`,
        },
  ];
  return chips.filter((chip) => chip !== null);
}

/** Chips that lead back to where an item came from. Nothing where that is not known. */
export function Provenance({ metadata, names }: { metadata: Readonly<Record<string, unknown>>; names: Names }) {
  const chips = listChips(metadata, names);
  if (chips.length === 0) return null;
  return (
    <ul aria-label="Where it came from" className="flex flex-wrap gap-1.5">
      {chips.map(({ kind, text: label, href }) => (
        <li key={kind} className="flex min-w-0 items-center gap-1 rounded-control bg-selected px-1.5 py-0.5 text-meta">
          <span className="text-muted">{kind}</span>
          {href === null ? (
            <span className="truncate">{label}</span>
          ) : (
            <Link href={href} prefetch={false} className="truncate text-accent-text underline underline-offset-2">
              {label}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
