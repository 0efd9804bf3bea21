import { createFieldReader, type FieldReader } from "@/engine/decode/field-reader";
import { listEnumFields, listFields, type FieldInfo } from "@/engine/decode/fields";
import type { LongList } from "@/engine/decode/kept-lists";
import { getPayloadType } from "@/engine/decode/payload-type";
import { oncePerType } from "@/engine/decode/schemas/plan-budget";
import { type Channel, type RawMessage, type RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { listEnums } from "@/engine/rules/facts";
import { createSeriesFeed, type SeriesBuilder } from "@/engine/signals/series";
import { maxSignalTopics } from "@/engine/signals/signal-types";

export interface ChannelReading {
  channel: Channel;
  /** Null when the channel's schema cannot be used. */
  reader: FieldReader | null;
  /** Adds what `reader` read to the series; created with the first message. */
  feed: ((offset: number) => void) | null;
  read: number;
  failed: number;
  /** Why its schema, or the first message that failed, cannot be decoded. */
  reason: string | null;
  /** Which fields of messages that can be decoded cannot be read, and why. */
  unread: string | null;
}

/** What is known of a topic once its messages were read. */
export interface TopicReading {
  /** Why its messages cannot be decoded; null when some can. */
  error: string | null;
  fields: FieldInfo[];
  /** Its lists of which no element is a field, for their length. */
  longLists: LongList[];
}

const findEnums = oncePerType((fields: readonly FieldInfo[]) => listEnums(fields));

/** Reads the fields of every topic for the series, in the one pass over a recording. */
export class TopicReadings {
  private readonly byTopic = new Map<string, ChannelReading[]>();
  private readonly byChannel: (ChannelReading | undefined)[] = [];

  private constructor() {}

  /** Opens every channel whose topic has messages; `pause` is awaited between two of them. */
  static async open(summary: RecordingSummary, pause: () => Promise<void> | undefined): Promise<TopicReadings> {
    const topics = new TopicReadings();
    const recorded = new Set(summary.topics.map(({ topic }) => topic));
    for (const channel of summary.channels) {
      if (!recorded.has(channel.topic)) continue;
      topics.add(openChannel(channel));
      const paused = pause();
      if (paused) await paused;
    }
    return topics;
  }

  private add(reading: ChannelReading): void {
    const { topic, id } = reading.channel;
    const siblings = this.byTopic.get(topic);
    if (siblings) siblings.push(reading);
    else this.byTopic.set(topic, [reading]);
    this.byChannel[id] = reading;
  }

  /** Fields of series that are known from the schemas. */
  get expectedFields(): number {
    return this.byChannel.reduce((sum, reading) => sum + (reading?.reader?.expected ?? 0), 0);
  }

  /** Why a topic cannot be decoded at all, judging by its schemas, and the names they give to numbers. */
  known(name: string): { undecodable: string | null; enums: ReturnType<typeof listEnums> } {
    const channels = this.byTopic.get(name) ?? [];
    const usable = channels.some(({ reader }) => reader !== null);
    const enums = channels
      .map(({ channel }) => findEnums(listEnumFields(channel)))
      .filter((named) => named !== undefined);
    return {
      undecodable: usable ? null : (channels.find(({ reason }) => reason !== null)?.reason ?? null),
      enums: enums.length === 0 ? undefined : enums.reduce((all, named) => ({ ...all, ...named })),
    };
  }

  /** The reader of a channel; undefined for one without messages, or with a schema that cannot be used. */
  getReader({ id }: Channel): FieldReader | undefined {
    return this.byChannel[id]?.reader ?? undefined;
  }

  /** Every channel whose topic has messages. */
  get readings(): ChannelReading[] {
    return this.byChannel.filter((reading) => reading !== undefined);
  }

  /**
   * Reads one message; null when it cannot be decoded. The pass over columns, which adds the values itself, also adds
   * what it read otherwise to `reading.read`.
   */
  read(reading: ChannelReading, data: Uint8Array): FieldReader | null {
    if (!reading.reader) return null;
    reading.read++;
    try {
      reading.reader.read(data);
      reading.unread ??= reading.reader.objects?.unread ?? null;
      return reading.reader;
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      reading.failed++;
      reading.reason ??= error.message;
      return null;
    }
  }

  message({ channel, data, logTime }: RawMessage, builder: SeriesBuilder): void {
    const reading = this.byChannel[channel.id];
    const reader = reading && this.read(reading, data);
    if (!reader) return;
    reading.feed ??= createSeriesFeed(builder, channel.topic, reader);
    reading.feed(builder.offset(logTime));
  }

  /** The fields of a topic, from its schemas and its messages. */
  getReading(name: string): TopicReading {
    const channels = this.byTopic.get(name) ?? [];
    const fields = new Map<string, FieldInfo>();
    const longLists = new Map<string, LongList>();
    for (const { channel, reader } of channels) {
      for (const list of reader?.longLists ?? []) longLists.set(list.path, list);
      for (const field of [...listFields(channel), ...(reader?.present ?? [])])
        if (!fields.has(field.path)) fields.set(field.path, field);
    }
    const useless = channels.every(({ reader, read, failed }) => reader === null || (read > 0 && failed === read));
    return {
      error: useless ? (channels.find(({ reason }) => reason !== null)?.reason ?? null) : null,
      fields: [...fields.values()],
      longLists: [...longLists.values()],
    };
  }

  /** Lines for each topic of which some messages, fields or channels could not be decoded, and for more than have signals. */
  warnings(): string[] {
    const [kept, all] = [maxSignalTopics, this.byTopic.size].map((count) => count.toLocaleString("en"));
    const left = this.byTopic.size > maxSignalTopics ? [`SQL has the first ${kept} of ${all} topics.`] : [];
    return left.concat(this.listFaults());
  }

  private listFaults(): string[] {
    return [...this.byChannel].flatMap((reading) => {
      if (!reading) return [];
      const { channel, reader, read, failed, reason, unread } = reading;
      const partly = unread === null ? [] : [`Some fields of ${channel.topic} cannot be read: ${unread}`];
      if (reason === null) return partly;
      if (!reader || failed === read) return [`${channel.topic} could not be decoded: ${reason}`];
      return [...partly, `${failed} of ${read} messages of ${channel.topic} could not be decoded: ${reason}`];
    });
  }
}

function openChannel(channel: Channel): ChannelReading {
  const reading: ChannelReading = { channel, reader: null, feed: null, read: 0, failed: 0, reason: null, unread: null };
  try {
    reading.reader = createFieldReader(channel);
    const payload = getPayloadType(channel);
    if ("unread" in payload) reading.unread = payload.unread;
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    reading.reason = error.message;
  }
  return reading;
}
