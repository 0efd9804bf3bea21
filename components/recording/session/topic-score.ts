import type { RecordingTopic } from "@/components/recording/session/query";
import type { Candidate, Subject } from "./panel-type";

const base = 10;
const ofNamed = 40;
const ofNamespace = 20;
/** A topic that is faster than this says no more. */
const maxRate = 1_000;

/** The first part of a topic's name, where it has several: `/arm` of `/arm/camera`. */
const getNamespace = (topic: string): string | null => /^\/?([^/]+)\/./.exec(topic)?.[1] ?? null;

/** How much a topic says about what happened: named by a rule, or beside one that is, and how often it speaks. */
export function scoreTopic(
  { name, frequency_hz: rate }: Pick<RecordingTopic, "name" | "frequency_hz">,
  subject: Subject,
) {
  const named = subject.named.get(name) ?? 0;
  const namespace = getNamespace(name);
  const near = namespace !== null && [...subject.named.keys()].some((other) => getNamespace(other) === namespace);
  return (base + ofNamed * named + (near ? ofNamespace : 0)) * Math.log(Math.E + Math.min(Math.max(rate, 0), maxRate));
}

/** A candidate for each topic that a type can show, the best first. */
export function scoreTopics<Config>(
  subject: Subject,
  canShow: (topic: RecordingTopic) => boolean,
  toConfig: (topic: string) => Config,
): Candidate<Config>[] {
  return subject.topics
    .filter(canShow)
    .map((topic) => ({ config: toConfig(topic.name), score: scoreTopic(topic, subject) }))
    .toSorted((a, b) => b.score - a.score);
}
