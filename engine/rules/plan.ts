import { type CompositeCondition, type Condition, isComposite, listLeaves } from "@/domain/conditions/condition";
import { topicMatcher } from "@/domain/conditions/expressions";
import type { FieldRead } from "@/domain/conditions/kind";
import { parsePath } from "@/domain/conditions/path";
import { getKind } from "@/domain/conditions/registry";
import type { LeafCondition } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import { EpisodeTracker, never } from "@/engine/rules/episodes";
import type { MessageSignal, SampleSignal } from "@/engine/rules/evaluator";
import type { RecordingFacts, TopicFacts } from "@/engine/rules/facts";
import { compileField } from "@/engine/rules/field";
import { getEvaluator } from "@/engine/rules/registry";
import { SampleTrace } from "@/engine/rules/samples";
import { FieldStream } from "@/engine/rules/stream";

/** One condition applied to one topic. */
export interface TopicPart {
  feed: TopicFeed;
  tracker: EpisodeTracker;
  /** The field it reads; null where only times matter. */
  stream: FieldStream | null;
  /** Its signal, on samples or on messages; both null where the topic cannot be decoded. */
  samples: SampleSignal | null;
  messages: MessageSignal | null;
}

export interface LeafNode {
  kind: "leaf";
  /** Position in the rule: empty, or `conditions.1.conditions.0`. */
  path: string;
  condition: LeafCondition;
  parts: TopicPart[];
}

export interface CompositeNode {
  kind: "group";
  condition: CompositeCondition;
  hold: bigint;
  keepFor: bigint;
  children: PlanNode[];
}

export type PlanNode = LeafNode | CompositeNode;

/** Everything that each message of a topic is passed to. */
export interface TopicFeed {
  facts: TopicFacts;
  /** How long a value holds without another; null when nothing is known about the topic's pace. */
  gapLimit: bigint | null;
  seen: number;
  last: bigint;
  clocks: MessageSignal[];
  streams: FieldStream[];
}

/** The gap limit, in median periods of the topic: during a longer silence the values are unknown. */
const gapPeriods = 5n;
/** Limits of what one evaluation holds in memory, shared among its parts. */
const totalEpisodes = 500_000;
const totalSamples = 1_000_000;
const share = (total: number, among: number, min: number, max: number) =>
  Math.min(max, Math.max(min, Math.floor(total / Math.max(among, 1))));

/** Members that do not change the signal of a condition; `cooldown` is part of the key separately. */
const ignoredMembers = new Set(["topic", "cooldown", "timestamp_source"]);

export const leafNodes = (node: PlanNode): LeafNode[] =>
  node.kind === "leaf" ? [node] : node.children.flatMap(leafNodes);

/** Plans conditions over the topics of a recording, so that what several conditions share is computed once. */
export class Planner {
  readonly feeds = new Map<string, TopicFeed>();
  private readonly parts = new Map<string, TopicPart>();
  private readonly streams = new Map<string, FieldStream>();
  private readonly matches = new Map<string, TopicFacts[]>();
  private readonly episodeLimit: number;
  private readonly denseSamples: number;

  /** `soloLimit`: how many episodes to retain where the rule is a single condition on one topic. */
  constructor(
    private readonly facts: RecordingFacts,
    conditions: readonly Condition[],
    private readonly soloLimit: number,
  ) {
    const leaves = conditions.flatMap((condition) => listLeaves(condition));
    const parts = leaves.reduce((sum, leaf) => sum + this.matchTopics(leaf.topic).length, 0);
    this.episodeLimit = share(totalEpisodes, parts, soloLimit, 100_000);
    this.denseSamples = share(totalSamples, parts, 1000, 20_000);
  }

  /** Plans one rule's condition; `path` is its position in the rule. */
  node(condition: Condition, path = ""): PlanNode {
    if (!isComposite(condition)) return this.leaf(condition, path);
    return {
      kind: "group",
      condition,
      hold: durationOrZero(condition.hold),
      keepFor: durationOrZero(condition.keep_for),
      children: condition.conditions.map((child, index) =>
        this.node(child, `${path === "" ? "" : `${path}.`}conditions.${index}`),
      ),
    };
  }

  private leaf(condition: LeafCondition, path: string): LeafNode {
    const topics = this.matchTopics(condition.topic).filter(({ messageCount }) => messageCount > 0);
    const solo = path === "" && topics.length === 1;
    // An absence also triggers for a topic without any message.
    const silent: TopicFacts = { topic: condition.topic, messageCount: 0, medianPeriodNs: null };
    const watched = topics.length === 0 && getEvaluator(condition).watchesSilence ? [silent] : topics;
    return { kind: "leaf", path, condition, parts: watched.map((facts) => this.part(condition, facts, solo)) };
  }

  private matchTopics(topic: string): TopicFacts[] {
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
      ignoredMembers.has(name) ? undefined : value,
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
    const read = getKind(condition).reads(condition);
    const stream = read && facts.undecodable === undefined ? this.stream(feed, read, condition.topic) : null;
    const evaluator = getEvaluator(condition);
    const tracker = new EpisodeTracker({
      topic: facts.topic,
      keepFor: durationOrZero(condition.keep_for),
      samples: stream?.trace ?? null,
      show: (retained) => evaluator.show(retained),
      ...bounds,
    });
    const part: TopicPart = { feed, tracker, stream, samples: null, messages: null };
    if (read && !stream) return part;
    const watch = evaluator.watch(condition, {
      topic: facts,
      recording: this.facts,
      gapLimit: feed.gapLimit,
      tracker,
      traceReadings: () => {
        const readings = new SampleTrace(this.denseSamples, (reading) => reading);
        tracker.showReadings(readings);
        return readings;
      },
    });
    if ("samples" in watch) {
      part.samples = watch.samples;
      stream?.signals.push(watch.samples);
    } else {
      part.messages = watch.messages;
      feed.clocks.push(watch.messages);
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

  private stream(feed: TopicFeed, { field, mode, keepsPlaces }: FieldRead, topic: string): FieldStream {
    const key = JSON.stringify([feed.facts.topic, parsePath(field, topic), mode, keepsPlaces]);
    let stream = this.streams.get(key);
    if (!stream) {
      const read = compileField(field, topic, mode, keepsPlaces);
      stream = new FieldStream(read, new SampleTrace(this.denseSamples));
      this.streams.set(key, stream);
      feed.streams.push(stream);
    }
    return stream;
  }
}
