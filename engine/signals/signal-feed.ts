import type { FieldReader } from "@/engine/decode/field-reader";
import type { Channel, RawMessage, RecordingSummary } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { ColumnBatch } from "@/engine/signals/signal-column";
import { createSignalReader, type SignalReader } from "@/engine/signals/signal-reader";
import { maxSignalTopics, widen, type SignalType } from "@/engine/signals/signal-types";
import type { SignalsWriter, TopicSignals } from "@/engine/signals/signals-writer";

/** Rows that are gathered before the writer takes them. */
const batchRows = 256;
const noField = -1;
/** Of an element that no list has had so far. */
const notYet = -2;

interface Gathered extends ColumnBatch {
  missing: Uint8Array;
  texts?: string[];
  positions?: Map<string, number>;
}

/** Gathers the messages of one topic in batches. */
export class TopicFeed {
  private rows = 0;
  private readonly times = new BigInt64Array(batchRows);
  private readonly batches: Gathered[] = [];
  private readonly columns = new Map<string, number>();

  constructor(
    private readonly signals: TopicSignals,
    /** The types of fields that several channels have differently. */
    private readonly types: ReadonlyMap<string, SignalType>,
  ) {}

  /** The column of a field; -1 when it is left out. */
  column(path: string, type: SignalType): number {
    const known = this.columns.get(path);
    if (known !== undefined) return known;
    const wanted = this.types.get(path) ?? type;
    const column = this.signals.addColumn({ path, type: wanted });
    this.columns.set(path, column);
    if (column === noField) return noField;
    const isWide = wanted === "int64" || wanted === "uint64";
    this.batches[column] = {
      values: isWide ? new BigInt64Array(batchRows) : new Float64Array(batchRows),
      first: 0,
      missing: new Uint8Array(batchRows).fill(1),
      ...(wanted === "enum" && { texts: [], positions: new Map() }),
    };
    return column;
  }

  add(time: bigint, reader: SignalReader, columns: readonly number[]): void {
    const row = this.rows++;
    this.times[row] = time;
    for (let slot = 0; slot < columns.length; slot++) {
      const column = columns[slot]!;
      if (column >= 0 && reader.has(slot)) put(this.batches[column]!, row, reader, slot);
    }
    if (this.rows === batchRows) this.flush();
  }

  /** Takes rows that are columns already, by the positions of their columns; those gathered come before. */
  take(times: BigInt64Array, rows: number, batches: readonly (ColumnBatch | undefined)[]): void {
    this.flush();
    this.signals.take(times, rows, batches);
  }

  flush(): void {
    if (this.rows === 0) return;
    this.signals.take(this.times, this.rows, this.batches);
    this.rows = 0;
    for (const batch of this.batches) {
      batch.missing.fill(1);
      batch.positions?.clear();
      if (batch.texts) batch.texts.length = 0;
    }
  }
}

function put(batch: Gathered, row: number, reader: SignalReader, slot: number): void {
  const { values, missing, texts, positions } = batch;
  const { type } = reader.fields[slot]!;
  const number = reader.values[slot]!;
  if (texts && positions) {
    if (type !== "enum") return;
    const text = String(reader.states[slot]);
    let at = positions.get(text);
    if (at === undefined) {
      positions.set(text, (at = texts.length));
      texts.push(text);
    }
    values[row] = at;
  } else if (type === "enum") return;
  else if (type === "bool") {
    // A text among booleans says neither.
    if (typeof reader.states[slot] !== "boolean") return;
    values[row] = Number(reader.states[slot]);
  } else if (values instanceof BigInt64Array) {
    // Narrower integers are exact as doubles.
    values[row] = type === "int64" || type === "uint64" ? reader.wide[slot]! : BigInt(number);
  } else values[row] = number;
  missing[row] = 0;
}

/** Feeds the messages of a recording to the signals writer, one after another. */
export class SignalFeed {
  private readonly byChannel: ({ reader: SignalReader; columns: number[]; feed: TopicFeed } | null | undefined)[] = [];
  private readonly feeds = new Map<string, TopicFeed>();
  /** Of the topics that were opened. */
  private readonly types = new Map<string, Map<string, SignalType>>();
  private readonly signalReaders = new Map<number, SignalReader>();
  private readonly channels = new Map<string, Channel[]>();

  constructor(
    summary: RecordingSummary,
    private readonly writer: SignalsWriter,
    /** The field readers of a pass that is given all messages. */
    private readonly readers: (channel: Channel) => FieldReader | undefined = () => undefined,
  ) {
    for (const channel of summary.channels) {
      const siblings = this.channels.get(channel.topic);
      if (siblings) siblings.push(channel);
      else this.channels.set(channel.topic, [channel]);
    }
  }

  /** Opens the channels of a topic with its first message; null when there are too many topics. */
  private openTopic(topic: string): Map<string, SignalType> | null {
    let types = this.types.get(topic);
    if (types !== undefined) return types;
    if (this.types.size >= maxSignalTopics) return null;
    this.types.set(topic, (types = new Map()));
    for (const channel of this.channels.get(topic) ?? []) {
      const reader = orNull(() => createSignalReader(channel, this.readers(channel)));
      if (!reader) continue;
      this.signalReaders.set(channel.id, reader);
      for (const { path, type } of reader.fields) {
        const other = types.get(path);
        if (type) types.set(path, other === undefined ? type : (widen(other, type) ?? other));
      }
    }
    return types;
  }

  /** Adds a message; one that cannot be decoded is left out. False for one whose topic has no signals. */
  message({ channel, data, logTime }: RawMessage): boolean {
    let entry = this.byChannel[channel.id];
    if (entry === undefined) {
      this.openTopic(channel.topic);
      const reader = this.signalReaders.get(channel.id);
      entry = reader ? { reader, columns: [], feed: this.feed(channel.topic) } : null;
      this.byChannel[channel.id] = entry;
    }
    if (!entry) return false;
    const { reader, columns, feed } = entry;
    if (orNull(() => (reader.read(data), true)) === null) return true;
    for (let slot = 0; slot < reader.fields.length; slot++) {
      const known = columns[slot] ?? notYet;
      if (known !== notYet) continue;
      const { path, type, inList } = reader.fields[slot]!;
      // Elements of lists have columns once they appear.
      columns[slot] = type === null ? noField : inList && !reader.has(slot) ? notYet : feed.column(path, type);
    }
    feed.add(logTime, reader, columns);
    return true;
  }

  /** The feed of a channel's topic; null when it has no signals, or types that differ from those of another channel. */
  open(channel: Channel): TopicFeed | null {
    const types = this.openTopic(channel.topic);
    const reader = this.signalReaders.get(channel.id);
    if (!reader) return null;
    if (reader.fields.some(({ path, type }) => type !== null && types?.get(path) !== type)) return null;
    return this.feed(channel.topic);
  }

  /** Hands over the rows gathered last; then the writer can be finished. */
  finish(): void {
    for (const feed of this.feeds.values()) feed.flush();
  }

  private feed(topic: string): TopicFeed {
    let feed = this.feeds.get(topic);
    if (!feed) {
      feed = new TopicFeed(this.writer.topic(topic), this.types.get(topic) ?? new Map());
      this.feeds.set(topic, feed);
    }
    return feed;
  }
}

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof RecordingError) return null;
    throw error;
  }
}
