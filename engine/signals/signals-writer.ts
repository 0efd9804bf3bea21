import { ByteWriter } from "@/engine/signals/byte-writer";
import { logTime, ParquetFile, type FileSink, type SignalCompression } from "@/engine/signals/parquet-file";
import { rowBytes, SignalColumn, type ColumnBatch } from "@/engine/signals/signal-column";
import type { SignalField } from "@/engine/signals/signal-types";

/** Bytes of rows that are open for all topics together. */
const openBytes = 16 * 1024 * 1024;
/** Columns of all topics together. Each open row group needs some memory, and each of their pages an entry in a footer. */
const maxColumns = 10_000;
const minCapacity = 16;

export interface SignalsOptions {
  compression: SignalCompression;
  /** Called once for each topic, with its first message. */
  open: (topic: string) => FileSink;
  /** Overrides the budget and the rows of a page, for tests. */
  openBytes?: number;
  pageRows?: number;
}

/** A finished file. */
export interface SignalFileInfo {
  topic: string;
  rows: number;
  sizeBytes: number;
  fields: SignalField[];
}

/** Names that a field of a message cannot have: the columns that stand before it. */
const reserved = new Set(["log_time", "recording_id", "device_id", "device_name"]);

/** The name of a field's column: its path, with `_` appended where Muster's own columns have that name. */
export const columnName = (path: string): string => (reserved.has(path.toLowerCase()) ? `${path}_` : path);

/** What the topics share. */
interface Owner {
  admit: (rowsBytes: number) => void;
  addColumn: () => boolean;
  /** Exchanges what was granted for what is wanted; 0 when that is too much. */
  grant: (granted: number, wanted: number) => number;
}

/** One topic: its open row group and its file. */
export class TopicSignals {
  private readonly columns: SignalColumn[];
  private capacity = minCapacity;
  private open = 0;
  private total = 0;
  private bytesPerRow: number;
  /** Bytes of columns that are kept from one row group to the next. */
  private granted = 0;
  private readonly file: ParquetFile;

  constructor(
    readonly topic: string,
    sink: FileSink,
    private readonly owner: Owner,
    plain: ByteWriter,
    { compression, pageRows }: Pick<SignalsOptions, "compression" | "pageRows">,
  ) {
    this.file = new ParquetFile(sink, compression, plain, pageRows);
    this.columns = [new SignalColumn(logTime, 0, this.capacity)];
    this.bytesPerRow = rowBytes("int64");
  }

  /** Adds a column; its position for `take`, or -1 when there are too many. */
  addColumn({ path, type }: SignalField): number {
    if (!this.owner.addColumn()) return -1;
    this.columns.push(new SignalColumn({ path: columnName(path), type }, this.open, this.capacity));
    this.bytesPerRow += rowBytes(type) + 1;
    return this.columns.length - 2;
  }

  /**
   * Adds the rows of a batch. `times`: nanoseconds since the epoch; `columns`: by position, with what is absent missing
   * in every row.
   */
  take(times: BigInt64Array, rows: number, columns: readonly (ColumnBatch | undefined)[]): void {
    if (rows === 0) return;
    this.owner.admit(rows * this.bytesPerRow);
    const needed = this.open + rows;
    if (needed > this.capacity) {
      this.capacity = Math.max(needed, this.capacity * 2);
      for (const column of this.columns) column.reserve(this.capacity);
    }
    this.columns[0]!.putTimes(this.open, rows, times);
    for (let at = 1; at < this.columns.length; at++) this.columns[at]!.put(this.open, rows, columns[at - 1]);
    this.open = needed;
  }

  get openBytes(): number {
    return this.open * this.bytesPerRow;
  }

  /** Writes the open rows as a row group. */
  flush(): void {
    if (this.open === 0) return;
    this.file.group(this.columns, this.open);
    this.total += this.open;
    this.open = 0;
    // Topics that are large one after another must not all keep their memory.
    const wanted = this.capacity * this.bytesPerRow;
    this.granted = this.owner.grant(this.granted, wanted);
    if (this.granted === 0) this.capacity = minCapacity;
    for (const column of this.columns) column.clear(this.capacity);
  }

  finish(): SignalFileInfo {
    this.flush();
    const fields = this.columns.slice(1).map(({ field }) => field);
    this.file.finish(fields);
    return { topic: this.topic, rows: this.total, sizeBytes: this.file.size, fields };
  }
}

/**
 * Writes the signals of a recording, a Parquet file for each topic. Memory is bounded: when the rows that are open for
 * all topics reach 16 MB, the topic with the most writes its own as a row group.
 */
export class SignalsWriter {
  private readonly topics = new Map<string, TopicSignals>();
  private openBytes = 0;
  private grantedBytes = 0;
  private columns = 0;
  private readonly plain = new ByteWriter();
  /** Fields left out because there were too many. */
  droppedFields = 0;

  constructor(private readonly options: SignalsOptions) {}

  topic(name: string): TopicSignals {
    let topic = this.topics.get(name);
    if (!topic) {
      const owner: Owner = {
        admit: (bytes) => this.admit(bytes),
        addColumn: () => this.addColumn(),
        grant: (granted, wanted) => this.grant(granted, wanted),
      };
      topic = new TopicSignals(name, this.options.open(name), owner, this.plain, this.options);
      this.topics.set(name, topic);
    }
    return topic;
  }

  /** Writes what is open and the footers; nothing can be added afterwards. */
  finish(): SignalFileInfo[] {
    return [...this.topics.values()].map((topic) => topic.finish());
  }

  private addColumn(): boolean {
    if (this.columns >= maxColumns) {
      this.droppedFields++;
      return false;
    }
    this.columns++;
    return true;
  }

  private grant(granted: number, wanted: number): number {
    const others = this.grantedBytes - granted;
    const allowed = others + wanted <= openBytes ? wanted : 0;
    this.grantedBytes = others + allowed;
    return allowed;
  }

  private admit(bytes: number): void {
    const limit = this.options.openBytes ?? openBytes;
    if (this.openBytes + bytes > limit) {
      let largest: TopicSignals | undefined;
      for (const topic of this.topics.values()) {
        if (!largest || topic.openBytes > largest.openBytes) largest = topic;
      }
      largest?.flush();
      this.openBytes = 0;
      for (const topic of this.topics.values()) this.openBytes += topic.openBytes;
    }
    this.openBytes += bytes;
  }
}
