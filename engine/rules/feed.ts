import { createDecoder, type MessageDecoder } from "@/engine/decode/decode";
import { type Channel, type RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import {
  createEvaluation,
  type Evaluation,
  type RecordingFacts,
  type RuleInput,
  type RuleResult,
} from "@/engine/rules/evaluate";
import { listReads, topLevel } from "@/engine/rules/leaves";

/**
 * Replaces a message that cannot be decoded: reading a field of it throws the reason, which becomes part of the rule's
 * result.
 */
export function unreadable(reason: string): unknown {
  const refuse = (): never => {
    throw new RecordingError(reason);
  };
  return new Proxy({}, { get: refuse, ownKeys: refuse });
}

/** A decoder that never throws: messages that cannot be decoded become `unreadable`. */
export function tolerantDecoder(channel: Channel, only: ReadonlySet<string> | undefined): MessageDecoder {
  let decoder: MessageDecoder;
  try {
    decoder = createDecoder(channel, only === undefined ? {} : { only });
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    const value = unreadable(error.message);
    return { decode: () => value };
  }
  return {
    decode(data) {
      try {
        return decoder.decode(data);
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
        return unreadable(error.message);
      }
    },
  };
}

type ChannelReader = { want: "none" } | { want: "times" } | { want: "values"; decoder: MessageDecoder };

/** Feeds a recording's raw messages to the evaluation of rules, decoding only what they read. */
export class RuleFeed {
  readonly evaluation: Evaluation;
  private readonly channels = new Map<number, ChannelReader>();
  private readonly reads: (topic: string) => string[][];

  constructor(rules: readonly RuleInput[], facts: RecordingFacts) {
    this.evaluation = createEvaluation(rules, facts);
    this.reads = listReads(rules.map((rule) => rule.condition));
  }

  message(raw: RawMessage): void {
    const { channel } = raw;
    let reader = this.channels.get(channel.id);
    if (reader === undefined) {
      reader = this.prepare(channel);
      this.channels.set(channel.id, reader);
    }
    if (reader.want === "none") return;
    const value = reader.want === "values" ? reader.decoder.decode(raw.data) : undefined;
    this.evaluation.message(channel.topic, raw.logTime, value);
  }

  private prepare(channel: Channel): ChannelReader {
    const want = this.evaluation.wants(channel.topic);
    return want === "values" ? { want, decoder: this.decoder(channel) } : { want };
  }

  /** Decodes what the rules read of a channel's messages. */
  decoder(channel: Channel): MessageDecoder {
    return tolerantDecoder(channel, this.members(channel.topic));
  }

  /** The top-level members that the rules read of a topic's messages; undefined for all of them. */
  members(topic: string): ReadonlySet<string> | undefined {
    return topLevel(this.reads(topic));
  }

  finish(): RuleResult[] {
    return this.evaluation.finish();
  }
}

/** The topics of a recording whose messages the rules need. */
export const wantedTopics = (evaluation: Evaluation, facts: RecordingFacts): string[] =>
  facts.topics.map(({ topic }) => topic).filter((topic) => evaluation.wants(topic) !== "none");
