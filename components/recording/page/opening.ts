import type { Lanes, RecordingTopic } from "@/components/recording/session/query";
import { formatPath, parsePath } from "@/components/recording/session/topic-path";

/** What a recording opens with where the address does not say: plots, the topic in focus, the panel beside them. */
interface Opening {
  plots: string[];
  topic: string | null;
  tab: "events" | "message";
}

/** Plots a recording opens with; more would leave each too little room. */
const maxOpened = 4;

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/**
 * Opens a recording at what its rules found: the fields they compared are plotted, and the message panel shows the topic
 * of the alert nearest to a moment. A recording without findings opens on its events.
 */
export function findOpening(lanes: Lanes | undefined, topics: readonly RecordingTopic[], atNs: bigint): Opening {
  const rules = lanes?.rules ?? [];
  const alerted = new Set(lanes?.alerts.map(({ rule_id }) => rule_id));
  // Rules that raised an alert come before those that only left a mark.
  const ordered = rules.toSorted((a, b) => Number(alerted.has(b.rule_id)) - Number(alerted.has(a.rule_id)));
  const paths = ordered.flatMap(({ fields }) => fields.map(formatPath));
  const plots = [...new Set(paths)].filter((path) => parsePath(path, topics) !== null).slice(0, maxOpened);

  const found = (lanes?.alerts ?? []).flatMap((alert) => {
    const topic = rules.find(({ rule_id }) => rule_id === alert.rule_id)?.topic;
    const from = alert.ranges.map((range) => distance(BigInt(range.from_ns), atNs));
    const nearest = from.reduce<bigint | null>((least, each) => (least === null || each < least ? each : least), null);
    return topic && nearest !== null && topics.some(({ name }) => name === topic) ? [{ topic, nearest }] : [];
  });
  const [nearest] = found.toSorted((a, b) => (a.nearest < b.nearest ? -1 : a.nearest > b.nearest ? 1 : 0));
  return nearest
    ? { plots, topic: nearest.topic, tab: "message" }
    : { plots, topic: ordered.find(({ topic }) => topic !== null)?.topic ?? null, tab: "events" };
}
