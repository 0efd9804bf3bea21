import { parquetMetadataAsync, readColumnIndex, readOffsetIndex } from "hyparquet";
import type { ColumnChunk, FileMetaData } from "hyparquet";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { toDataView } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { decodeBits, decodeDeltas, joinBytes } from "@/engine/signals/parquet-decoding";
import { encodings } from "@/engine/signals/parquet-encoding";
import { logTime } from "@/engine/signals/parquet-file";
import type { SignalType } from "@/engine/signals/signal-types";
import { columnName } from "@/engine/signals/signals-writer";

/** Who decompresses the pages of signals. */
export interface SignalCodecs {
  zstd: Decompress;
  gzip: Decompress;
}

/** A column of numbers, one for each row; booleans are 0 and 1. */
export type NumberColumn = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** The end of a file, which is likely to hold its footer. */
const footerBytes = 65_536;

const makeColumns: Partial<Record<SignalType, (rows: number) => NumberColumn>> = {
  bool: (rows) => new Uint8Array(rows),
  int8: (rows) => new Int32Array(rows),
  uint8: (rows) => new Int32Array(rows),
  int16: (rows) => new Int32Array(rows),
  uint16: (rows) => new Int32Array(rows),
  int32: (rows) => new Int32Array(rows),
  uint32: (rows) => new Uint32Array(rows),
  float32: (rows) => new Float32Array(rows),
  float64: (rows) => new Float64Array(rows),
};

/** Whether columns of a type can be read: enums are texts, and doubles do not hold all integers of 64 bits. */
export const isReadable = (type: SignalType): boolean => makeColumns[type] !== undefined;

const toBytes = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

const isNumber = (value: unknown): value is number => typeof value === "number";

const isTime = (value: unknown): value is bigint => typeof value === "bigint";

/** The rows from `first` up to `end`, which is not included. */
export interface RowSpan {
  first: number;
  end: number;
}

/** A page within the bytes of its column. */
interface DataPage {
  rows: number;
  encoding: number;
  bytes: Uint8Array;
}

/** One topic's file of signals, of which single columns are read by ranges. Throws a RangeError for a damaged one. */
export class SignalFileReader {
  /** Of a decompressed page, which is read before the next one. */
  private memory = new Uint8Array(0);

  private constructor(
    private readonly source: ByteSource,
    private readonly codecs: SignalCodecs,
    private readonly metadata: FileMetaData,
  ) {}

  static async open(source: ByteSource, codecs: SignalCodecs): Promise<SignalFileReader> {
    const slice = async (from: number, to = source.size): Promise<ArrayBuffer> =>
      Uint8Array.from(await source.read(from, to - from)).buffer;
    const file = { byteLength: source.size, slice };
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: footerBytes });
    return new SignalFileReader(source, codecs, metadata);
  }

  get rows(): number {
    return Number(this.metadata.num_rows);
  }

  /** The rows of each group, in order, with their first and last time. */
  get groups(): (RowSpan & { from: bigint; to: bigint })[] {
    return [...this.chunks(logTime.path)].map(({ base, rows, column }) => {
      const { min_value: from, max_value: to } = column?.meta_data?.statistics ?? {};
      if (!isTime(from) || !isTime(to)) throw new RangeError("the times of signals cannot be read");
      return { first: base, end: base + rows, from, to };
    });
  }

  /**
   * The rows whose pages have a time within [from, to], nanoseconds since the epoch: all messages of that time, and some
   * beside them.
   */
  async findRows(from: bigint, to: bigint): Promise<RowSpan> {
    let [first, end] = [0, 0];
    for (const { base, column } of this.chunks(logTime.path)) {
      const { min_value: least, max_value: most } = column?.meta_data?.statistics ?? {};
      if (!column || !isTime(least) || !isTime(most) || most < from || least > to) continue;
      const pages = await this.readPlaces(column);
      const bytes = await this.source.read(Number(column.column_index_offset), column.column_index_length ?? 0);
      const { min_values: low, max_values: high } = readColumnIndex(
        { view: toDataView(bytes), offset: 0 },
        this.metadata.schema[1]!,
      );
      for (const [at, { row, rows }] of pages.entries()) {
        const [min, max]: unknown[] = [low[at], high[at]];
        if (!isTime(min) || !isTime(max) || max < from || min > to) continue;
        if (end === 0) first = base + row;
        end = base + row + rows;
      }
    }
    return { first, end };
  }

  /** The times of the messages, in nanoseconds after `start`; null where these are no exact doubles. */
  async readTimes(start: bigint, span: RowSpan = this.all): Promise<Float64Array | null> {
    const times = new Float64Array(span.end - span.first);
    const isRead = await this.readPages(logTime.path, false, span, (page, at) => {
      if (page.encoding !== encodings.delta) return false;
      decodeDeltas(page.bytes, page.rows, start, times.subarray(at, at + page.rows));
      return true;
    });
    return isRead ? times : null;
  }

  /** The column of a field; null where some row has no value, or for a type that is not readable. */
  async readColumn(path: string, type: SignalType, span: RowSpan = this.all): Promise<NumberColumn | null> {
    const column = makeColumns[type]?.(span.end - span.first);
    if (!column) return null;
    const isRead = await this.readPages(columnName(path), true, span, ({ rows, encoding, bytes }, at) => {
      const part = column.subarray(at, at + rows);
      if (part instanceof Uint8Array) decodeBits(bytes, part);
      else if (part instanceof Float64Array) joinBytes(bytes, 8, toBytes(part));
      else if (part instanceof Float32Array) joinBytes(bytes, 4, toBytes(part));
      else if (encoding === encodings.delta)
        decodeDeltas(bytes, rows, 0n, new Int32Array(part.buffer, part.byteOffset, part.length));
      else toBytes(part).set(bytes.subarray(0, part.byteLength));
      return true;
    });
    return isRead ? column : null;
  }

  private get all(): RowSpan {
    return { first: 0, end: this.rows };
  }

  /** A column's part of each row group, with the group's first row. */
  private *chunks(name: string): Iterable<{ base: number; rows: number; column: ColumnChunk | undefined }> {
    let base = 0;
    for (const group of this.metadata.row_groups) {
      const rows = Number(group.num_rows);
      yield { base, rows, column: group.columns.find(({ meta_data: own }) => own?.path_in_schema[0] === name) };
      base += rows;
    }
  }

  /** Where the pages of a column lie. */
  private async readPlaces({ offset_index_offset: at, offset_index_length: length, meta_data: own }: ColumnChunk) {
    const bytes = await this.source.read(Number(at), length ?? 0);
    const { page_locations: places } = readOffsetIndex({ view: toDataView(bytes), offset: 0 });
    return places.map(({ offset, compressed_page_size: size, first_row_index: row }, page) => ({
      from: Number(offset),
      to: Number(offset) + size,
      row: Number(row),
      rows: Number((places[page + 1]?.first_row_index ?? own?.num_values ?? 0n) - row),
    }));
  }

  /**
   * Visits the pages of a column in order, with their first row in the span, which pages begin and end; false where the
   * column is absent from some row, or `visit` refuses a page.
   */
  private async readPages(
    name: string,
    optional: boolean,
    span: RowSpan,
    visit: (page: DataPage, firstRow: number) => boolean,
  ): Promise<boolean> {
    let row = span.first;
    let memory = new Uint8Array(0);
    for (const { base, rows, column } of this.chunks(name)) {
      if (base + rows <= span.first || base >= span.end) continue;
      const own = column?.meta_data;
      if (!own || (optional && Number(own.statistics?.null_count ?? -1) !== 0)) return false;
      let from = Number(own.data_page_offset);
      let to = from + Number(own.total_compressed_size);
      if (span.first > base || span.end < base + rows) {
        const places = (await this.readPlaces(column)).filter(
          (place) => base + place.row < span.end && base + place.row + place.rows > span.first,
        );
        from = places[0]?.from ?? from;
        to = places.at(-1)?.to ?? to;
      }
      if (memory.length < to - from) memory = new Uint8Array(Math.min(to - from, this.source.size));
      for (const page of this.pages(own.codec, await this.source.read(from, to - from, memory), optional)) {
        if (row + page.rows > span.end || !visit(page, row - span.first)) return false;
        row += page.rows;
      }
    }
    return row === span.end;
  }

  private *pages(codec: string, bytes: Uint8Array, optional: boolean): Iterable<DataPage> {
    const reader = { view: toDataView(bytes), offset: 0 };
    while (reader.offset < bytes.length) {
      const header: Record<string, unknown> = deserializeTCompactProtocol(reader);
      const { field_2: size, field_3: packedSize, field_5: data } = header;
      const { field_1: rows, field_2: encoding } = (data ?? {}) as Record<string, unknown>;
      if (!isNumber(size) || !isNumber(packedSize) || !isNumber(rows) || !isNumber(encoding))
        throw new RangeError("a page of signals cannot be read");
      const packed = bytes.subarray(reader.offset, (reader.offset += packedSize));
      const whole = this.decompress(codec, packed, size);
      // The levels say that every row has a value.
      const levels = optional ? 4 + toDataView(whole).getUint32(0, true) : 0;
      yield { rows, encoding, bytes: whole.subarray(levels) };
    }
  }

  private decompress(codec: string, packed: Uint8Array, size: number): Uint8Array {
    if (codec === "ZSTD") {
      if (this.memory.length < size) this.memory = new Uint8Array(size);
      return this.codecs.zstd(packed, size, this.memory);
    }
    if (codec === "GZIP") return this.codecs.gzip(packed, size);
    if (codec === "UNCOMPRESSED") return packed;
    throw new RangeError(`signals are compressed by ${codec}`);
  }
}
