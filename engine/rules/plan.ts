import type { CompositeCondition, Condition, FrequencyCondition, LeafCondition } from "@/domain/conditions/condition";
import type { FieldMode } from "@/domain/conditions/operators";
import { parsePath, plainPath } from "@/domain/conditions/path";
import { topicMatcher } from "@/domain/conditions/pattern";
import { durationOrZero } from "@/domain/time/duration";
import { AbsenceSignal } from "@/engine/rules/absence";
import { EpisodeTracker, never } from "@/engine/rules/episodes";
import { compileField } from "@/engine/rules/field";
import { FilteredFrequency, FrequencySignal } from "@/engine/rules/frequency";
import { PatternTest } from "@/engine/rules/pattern-test";
import { SampleTrace } from "@/engine/rules/samples";
import { FieldStream } from "@/engine/rules/stream";
import { HeldSignal, type SampleSignal } from "@/engine/rules/threshold";
import { ListTest, valueTest, type Comparison, type EnumNames, type ValueTest } from "@/engine/rules/truth";

export interface TopicFacts {
  topic: string;
  messageCount: number;
  /** Zero periods left out; null with fewer than three messages. */
  medianPeriodNs: bigint | null;
  /** Why messages of this topic cannot be decoded. */
  undecodable?: string;
  /** Names that the schema gives to numbers, by field path without indices. */
  enums?: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

export interface RecordingFacts {
  /** First and last instant over all topics, in nanoseconds. */
  startTime: bigint;
  endTime: bigint;
  /** The file broke off before its end. */
  truncated: boolean;
  topics: readonly TopicFacts[];
}

/** What a condition makes of one topic. */
export interface TopicPart {
  feed: TopicFeed;
  tracker: EpisodeTracker;
  /** The field it reads; null where only times matter. */
  stream: FieldStream | null;
  signal: SampleSignal | null;
  absence: AbsenceSignal | null;
}

export interface LeafNode {
  kind: "leaf";
  /** Position in the rule: empty, or `conditions.1.conditions.0`. */
  path: string;
  condition: LeafCondition;
  parts: TopicPart[];
}

export interface CompositeNode {
  kind: "composite";
  condition: CompositeCondition;
  hold: bigint;
  keepFor: bigint;
  children: PlanNode[];
}

export type PlanNode = LeafNode | CompositeNode;

/** What has to be told of each message of a topic. */
export interface TopicFeed {
  facts: TopicFacts;
  /** How long a value holds without another; null when nothing is known about the topic's pace. */
  gapLimit: bigint | null;
  seen: number;
  last: bigint;
  clocks: (FrequencySignal | AbsenceSignal)[];
  streams: FieldStream[];
}

/** A silence of more than so many median periods of its topic says nothing about what lies in it. */
const gapPeriods = 5n;
/** Memory that one evaluation may spend, shared out over what it has to remember. */
const episodesInAll = 500_000;
const samplesInAll = 1_000_000;
const share = (total: number, among: number, least: number, most: number) =>
  Math.min(most, Math.max(least, Math.floor(total / Math.max(among, 1))));

/** What does not change how a condition sees a topic; `cooldown` counts where it is applied to it. */
const notOfTheSignal = new Set(["topic", "cooldown", "timestamp_source"]);

export const leavesOf = (node: PlanNode): LeafNode[] =>
  node.kind === "leaf" ? [node] : node.children.flatMap(leavesOf);

const isCounted = (condition: LeafCondition): condition is FrequencyCondition & { field: string } & Comparison =>
  condition.type === "frequency" && condition.field !== undefined;

/** The field whose values a condition needs; undefined when the times of messages are enough. */
const fieldOf = (condition: LeafCondition): string | undefined =>
  condition.type === "absence" ? undefined : condition.field;

/** Lays out conditions over the topics of a recording, so that what several conditions have in common is done once. */
export class Planner {
  readonly feeds = new Map<string, TopicFeed>();
  private readonly parts = new Map<string, TopicPart>();
  private readonly streams = new Map<string, FieldStream>();
  private readonly matches = new Map<string, TopicFacts[]>();
  private readonly episodeLimit: number;
  private readonly denseSamples: number;

  /** `soloLimit` is how many episodes matter where one condition on one topic is the whole rule. */
  constructor(
    private readonly facts: RecordingFacts,
    conditions: readonly Condition[],
    private readonly soloLimit: number,
  ) {
    const leaves = conditions.flatMap(leafConditions);
    const parts = leaves.reduce((sum, leaf) => sum + this.topicsOf(leaf.topic).length, 0);
    this.episodeLimit = share(episodesInAll, parts, soloLimit, 100_000);
    this.denseSamples = share(samplesInAll, parts, 1000, 20_000);
  }

  /** Lays out one rule's condition; `path` is where it stands in the rule. */
  node(condition: Condition, path = ""): PlanNode {
    if (condition.type !== "composite") return this.leaf(condition, path);
    return {
      kind: "composite",
      condition,
      hold: durationOrZero(condition.hold),
      keepFor: durationOrZero(condition.keep_for),
      children: condition.conditions.map((child, index) =>
        this.node(child, `${path === "" ? "" : `${path}.`}conditions.${index}`),
      ),
    };
  }

  private leaf(condition: LeafCondition, path: string): LeafNode {
    const topics = this.topicsOf(condition.topic).filter(({ messageCount }) => messageCount > 0);
    const solo = path === "" && topics.length === 1;
    // A topic that never came is silent too, and an absence has to have something to say so.
    const silent: TopicFacts = { topic: condition.topic, messageCount: 0, medianPeriodNs: null };
    const watched = topics.length === 0 && condition.type === "absence" ? [silent] : topics;
    return { kind: "leaf", path, condition, parts: watched.map((facts) => this.part(condition, facts, solo)) };
  }

  private topicsOf(topic: string): TopicFacts[] {
    let found = this.matches.get(topic);
    if (!found) {
      const matches = topicMatcher(topic);
      found = this.facts.topics.filter((facts) => matches(facts.topic)).sort((a, b) => (a.topic < b.topic ? -1 : 1));
      this.matches.set(topic, found);
    }
    return found;
  }

  private part(condition: LeafCondition, facts: TopicFacts, solo: boolean): TopicPart {
    const cooldown = solo ? durationOrZero(condition.cooldown) : 0n;
    const key = JSON.stringify([facts.topic, solo, String(cooldown), condition], (name: string, value: unknown) =>
      notOfTheSignal.has(name) ? undefined : value,
    );
    let part = this.parts.get(key);
    if (!part) {
      part = this.build(condition, facts, { cooldown, limit: solo ? this.soloLimit : this.episodeLimit });
      this.parts.set(key, part);
    }
    return part;
  }

  private build(condition: LeafCondition, facts: TopicFacts, bounds: { cooldown: bigint; limit: number }): TopicPart {
    const feed = this.feed(facts);
    const field = fieldOf(condition);
    const decodable = field !== undefined && facts.undecodable === undefined;
    const stream = decodable ? this.stream(feed, field, condition) : null;
    const tracker = new EpisodeTracker({
      topic: facts.topic,
      keepFor: durationOrZero(condition.keep_for),
      trace: stream?.trace ?? null,
      ...bounds,
    });
    const part: TopicPart = { feed, tracker, stream, signal: null, absence: null };
    if (stream) {
      part.signal = sampleSignal(condition, facts, this.facts, tracker);
      stream.signals.push(part.signal);
    } else if (condition.type === "absence") {
      part.absence = new AbsenceSignal(
        durationOrZero(condition.timeout),
        this.facts.startTime,
        this.facts.truncated,
        tracker,
      );
      feed.clocks.push(part.absence);
    } else if (condition.type === "frequency" && field === undefined) {
      feed.clocks.push(frequencySignal(condition, this.facts, tracker));
    }
    return part;
  }

  private feed(facts: TopicFacts): TopicFeed {
    let feed = this.feeds.get(facts.topic);
    if (!feed) {
      const gapLimit = facts.medianPeriodNs === null ? null : facts.medianPeriodNs * gapPeriods;
      feed = { facts, gapLimit, seen: 0, last: -never, clocks: [], streams: [] };
      this.feeds.set(facts.topic, feed);
    }
    return feed;
  }

  private stream(feed: TopicFeed, field: string, condition: LeafCondition): FieldStream {
    const mode = modeOf(condition);
    const key = JSON.stringify([feed.facts.topic, parsePath(field, condition.topic), mode]);
    let stream = this.streams.get(key);
    if (!stream) {
      const read = compileField(field, condition.topic, mode);
      stream = new FieldStream(read, new SampleTrace(this.denseSamples));
      this.streams.set(key, stream);
      feed.streams.push(stream);
    }
    return stream;
  }
}

const leafConditions = (condition: Condition): LeafCondition[] =>
  condition.type === "composite" ? condition.conditions.flatMap(leafConditions) : [condition];

const modeOf = (condition: LeafCondition): FieldMode =>
  condition.type === "absence" ? "any" : (condition.field_mode ?? "any");

function frequencySignal(
  condition: FrequencyCondition,
  facts: RecordingFacts,
  tracker: EpisodeTracker,
): FrequencySignal {
  const { count_operator: operator, count } = condition;
  const window = durationOrZero(condition.window);
  return new FrequencySignal({ operator, count, window, start: facts.startTime }, tracker);
}

function sampleSignal(
  condition: LeafCondition,
  topic: TopicFacts,
  facts: RecordingFacts,
  tracker: EpisodeTracker,
): SampleSignal {
  const mode = modeOf(condition);
  const listed = mode === "all" ? "all" : "any";
  if (isCounted(condition)) {
    const test = new ListTest(valueTest(condition, enumNames(topic, condition)), listed);
    return new FilteredFrequency(test, frequencySignal(condition, facts, tracker));
  }
  if (condition.type !== "threshold" && condition.type !== "pattern")
    throw new RangeError(`${condition.type} reads no field.`);
  const names = enumNames(topic, condition);
  const inner: ValueTest =
    condition.type === "pattern" ? new PatternTest(condition.regex) : valueTest(condition, names);
  const test = new ListTest(inner, listed);
  if (condition.type === "pattern") return new HeldSignal(test, 0n, null, tracker);
  // Where one value is enough to begin, all have to recover; where all are needed, one that recovers is enough.
  const recover =
    condition.recover && new ListTest(valueTest(condition.recover, names), listed === "any" ? "all" : "any");
  return new HeldSignal(test, durationOrZero(condition.window), recover ?? null, tracker);
}

function enumNames(topic: TopicFacts, condition: { topic: string; field: string }): EnumNames | undefined {
  const values = topic.enums?.[plainPath(parsePath(condition.field, condition.topic))];
  return values && new Map(Object.entries(values).map(([number, name]) => [name, Number(number)]));
}
