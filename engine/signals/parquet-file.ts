import { concatBytes, utf8Bytes } from "@/engine/bytes";
import type { ByteWriter } from "@/engine/signals/byte-writer";
import { dataPage, dictionaryPage, storage, type Page } from "@/engine/signals/parquet-column";
import { encodings } from "@/engine/signals/parquet-encoding";
import { encodeThrift, type Struct, thrift } from "@/engine/signals/parquet-thrift";
import { SignalColumn } from "@/engine/signals/signal-column";
import type { SignalField } from "@/engine/signals/signal-types";

/** A compression, with its number in Parquet. Readers know gzip (2) longest; zstd (6) is faster and smaller. */
export interface SignalCompression {
  codec: 0 | 2 | 6;
  compress: (bytes: Uint8Array) => Uint8Array;
}

/** Receives a file's bytes in order; they must be used or copied before it returns. */
export type FileSink = (bytes: Uint8Array) => void;

/** Rows of a page: the least that is read for a value. */
const defaultPageRows = 16_384;
/** Kept pages of one number. */
const maxConstants = 64;
const magic = utf8Bytes("PAR1");
const nothing = new Uint8Array(0);
const { i32, i64, bool, binary, list, struct } = thrift;

/** What is kept of a column of a row group for the footer, encoded. */
interface Chunk {
  metadata: Uint8Array;
  columnIndex: Uint8Array | null;
  offsetIndex: Uint8Array;
  bytes: number;
}

type WrittenPage = Page & { /** With its head, before compression. */ plainBytes: number };
type PlacedPage = WrittenPage & { offset: number; length: number; firstRow: number };

/** The time of every message: nanoseconds since the epoch, without annotation, which readers would round. */
export const logTime: SignalField = { path: "log_time", type: "int64" };

/**
 * Writes one Parquet file: row groups of the columns that are known by then, and at the end the footer, in which
 * columns that appeared later are empty in the groups before.
 */
export class ParquetFile {
  private position = 0;
  private rows = 0;
  private readonly groups: { rows: number; chunks: Chunk[] }[] = [];
  /** Pages of one number, by type, number and rows. */
  private readonly constants = new Map<string, { page: WrittenPage; bytes: Uint8Array }>();

  constructor(
    private readonly sink: FileSink,
    private readonly compression: SignalCompression,
    /** Memory for the page at hand; files that are not written at once can share it. */
    private readonly plain: ByteWriter,
    private readonly pageRows = defaultPageRows,
  ) {
    this.write(magic);
  }

  /** One row group; `columns[0]` has the times. Columns must keep their places from group to group. */
  group(columns: readonly SignalColumn[], rows: number): void {
    const chunks = columns.map((column, at) => this.chunk(column, rows, at > 0, this.pageRows));
    this.groups.push({ rows, chunks: joinMemory(chunks) });
    this.rows += rows;
  }

  /** The number of bytes written so far. */
  get size(): number {
    return this.position;
  }

  finish(fields: readonly SignalField[]): void {
    for (const { rows, chunks } of this.groups) {
      for (const field of fields.slice(chunks.length - 1)) {
        chunks.push(this.chunk(new SignalColumn(field, rows, rows), rows, true, rows));
      }
    }
    const groups = this.groups.map(({ rows, chunks }) => {
      const columns = chunks.map((chunk) => this.columnChunk(chunk));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
      return encodeThrift([
        [1, list, { of: struct, items: columns }],
        [2, i64, bytes],
        [3, i64, rows],
      ]);
    });
    const all = [logTime, ...fields];
    const footer = encodeThrift([
      [1, i32, 2],
      [2, list, { of: struct, items: [rootElement(all.length), ...all.map((field, at) => element(field, at > 0))] }],
      [3, i64, this.rows],
      [4, list, { of: struct, items: groups }],
      [6, binary, "muster"],
      [7, list, { of: struct, items: all.map((): Struct => [[1, struct, []]]) }],
    ]);
    this.write(footer);
    this.write(new Uint8Array(Uint32Array.of(footer.length).buffer));
    this.write(magic);
  }

  private write(bytes: Uint8Array): void {
    this.sink(bytes);
    this.position += bytes.length;
  }

  /** Writes the pages of a column; resolves to what the footer says of them. */
  private chunk(column: SignalColumn, rows: number, optional: boolean, rowsOfPage: number): Chunk {
    const { field } = column;
    const start = this.position;
    let plainBytes = 0;
    const isEnum = field.type === "enum" && column.texts.size > 0;
    if (isEnum) {
      this.plain.clear();
      dictionaryPage(this.plain, column);
      const head: Struct = [
        [1, i32, column.texts.size],
        [2, i32, encodings.plain],
      ];
      plainBytes += this.put([7, struct, head], 2);
    }
    const dataOffset = this.position;
    const pages: PlacedPage[] = [];
    for (let from = 0; from < rows; from += rowsOfPage) {
      const offset = this.position;
      const page = this.page(column, from, Math.min(rows, from + rowsOfPage), optional);
      plainBytes += page.plainBytes;
      pages.push({ ...page, offset, length: this.position - offset, firstRow: from });
    }
    const used = [
      ...new Set([...(isEnum ? [encodings.plain] : []), encodings.rle, ...pages.map((page) => page.encoding)]),
    ];
    const metadata = encodeThrift([
      [1, i32, storage[field.type].physical],
      [2, list, { of: i32, items: used }],
      [3, list, { of: binary, items: [field.path] }],
      [4, i32, this.compression.codec],
      [5, i64, rows],
      [6, i64, plainBytes],
      [7, i64, this.position - start],
      [9, i64, dataOffset],
      ...(isEnum ? ([[11, i64, start]] as const) : []),
      [12, struct, statistics(pages, field)],
    ]);
    return { metadata, columnIndex: columnIndex(pages, field), offsetIndex: offsetIndex(pages), bytes: plainBytes };
  }

  /** Writes a page of a column; those of one number are encoded and compressed once. */
  private page(column: SignalColumn, from: number, to: number, optional: boolean): WrittenPage {
    const { constant, field } = column;
    const key = constant === null ? "" : `${field.type} ${Object.is(constant, -0) ? "-0" : constant} ${to - from}`;
    const known = this.constants.get(key);
    if (known) {
      this.write(known.bytes);
      return known.page;
    }
    this.plain.clear();
    const page = dataPage(this.plain, column, from, to, optional);
    const head: Struct = [
      [1, i32, page.rows],
      [2, i32, page.encoding],
      [3, i32, encodings.rle],
      [4, i32, encodings.rle],
    ];
    const written: Uint8Array[] = [];
    const result = { ...page, plainBytes: this.put([5, struct, head], 0, constant === null ? null : written) };
    if (constant === null) return result;
    if (this.constants.size === maxConstants) this.constants.clear();
    this.constants.set(key, { page: result, bytes: concatBytes(written) });
    return result;
  }

  /** Compresses and writes what `plain` has; resolves to its size with its head. */
  private put(kind: Struct[number], type: 0 | 2, copies: Uint8Array[] | null = null): number {
    const bytes = this.plain.written;
    const packed = this.compression.codec === 0 ? bytes : this.compression.compress(bytes);
    const head = encodeThrift([[1, i32, type], [2, i32, bytes.length], [3, i32, packed.length], kind]);
    this.write(head);
    this.write(packed);
    copies?.push(head, packed);
    return head.length + bytes.length;
  }

  /** Writes the indexes of a chunk; its entry in the footer names their places. */
  private columnChunk({ metadata, columnIndex: index, offsetIndex: offsets }: Chunk): Struct {
    const offsetAt = this.position;
    this.write(offsets);
    const indexAt = this.position;
    if (index) this.write(index);
    return [
      [2, i64, 0],
      [3, struct, metadata],
      [4, i64, offsetAt],
      [5, i32, offsets.length],
      ...(index
        ? ([
            [6, i64, indexAt],
            [7, i32, index.length],
          ] as const)
        : []),
    ];
  }
}

/** Puts what is kept of chunks into one piece of memory: a long recording has thousands of them. */
function joinMemory(chunks: readonly Chunk[]): Chunk[] {
  const joined = concatBytes(
    chunks.flatMap(({ metadata, columnIndex, offsetIndex }) => [metadata, columnIndex ?? nothing, offsetIndex]),
  );
  let end = 0;
  const next = (length: number): Uint8Array => joined.subarray(end, (end += length));
  return chunks.map(({ metadata, columnIndex, offsetIndex, bytes }) => ({
    metadata: next(metadata.length),
    columnIndex: columnIndex && next(columnIndex.length),
    offsetIndex: next(offsetIndex.length),
    bytes,
  }));
}

const rootElement = (children: number): Struct => [
  [4, binary, "signals"],
  [5, i32, children],
];

function element({ path, type }: SignalField, optional: boolean): Struct {
  const { physical, annotation } = storage[type];
  return [
    [1, i32, physical],
    [3, i32, optional ? 1 : 0],
    [4, binary, path],
    ...(annotation === undefined ? [] : ([[6, i32, annotation]] as const)),
  ];
}

/** By the order of the type, not of the bytes. */
function compare(field: SignalField, a: Uint8Array, b: Uint8Array): number {
  const [x, y] = [a, b].map((bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (field.type === "float64") return view.getFloat64(0, true);
    if (field.type === "float32") return view.getFloat32(0, true);
    if (bytes.length === 8) return field.type === "uint64" ? view.getBigUint64(0, true) : view.getBigInt64(0, true);
    if (bytes.length === 1) return view.getUint8(0);
    return field.type === "uint32" ? view.getUint32(0, true) : view.getInt32(0, true);
  });
  return x! < y! ? -1 : x! > y! ? 1 : 0;
}

function statistics(pages: readonly Page[], field: SignalField): Struct {
  const nulls = pages.reduce((sum, page) => sum + page.nulls, 0);
  const known = pages.flatMap(({ extremes }) => (extremes ? [extremes] : []));
  if (known.length === 0 || pages.some((page) => page.hasNaN)) return [[3, i64, nulls]];
  const low = known.map((each) => each.low).reduce((a, b) => (compare(field, a, b) <= 0 ? a : b));
  const high = known.map((each) => each.high).reduce((a, b) => (compare(field, a, b) >= 0 ? a : b));
  return [
    [3, i64, nulls],
    [5, binary, high],
    [6, binary, low],
  ];
}

/** The extremes of every page; null where one has values without extremes, because the index has no room for that. */
function columnIndex(pages: readonly Page[], field: SignalField): Uint8Array | null {
  if (pages.some(({ extremes, nulls, rows }) => extremes === null && nulls < rows)) return null;
  const isAscending = pages.every(
    ({ extremes }, at) =>
      at === 0 ||
      (extremes && pages[at - 1]!.extremes && compare(field, pages[at - 1]!.extremes!.high, extremes.low) <= 0),
  );
  return encodeThrift([
    [1, list, { of: bool, items: pages.map(({ extremes }) => extremes === null) }],
    [2, list, { of: binary, items: pages.map(({ extremes }) => extremes?.low ?? nothing) }],
    [3, list, { of: binary, items: pages.map(({ extremes }) => extremes?.high ?? nothing) }],
    [4, i32, isAscending && pages.every(({ extremes }) => extremes !== null) ? 1 : 0],
    [5, list, { of: i64, items: pages.map(({ nulls }) => nulls) }],
  ]);
}

function offsetIndex(pages: readonly { offset: number; length: number; firstRow: number }[]): Uint8Array {
  const items = pages.map(({ offset, length, firstRow }): Struct => [
    [1, i64, offset],
    [2, i32, length],
    [3, i64, firstRow],
  ]);
  return encodeThrift([[1, list, { of: struct, items }]]);
}
