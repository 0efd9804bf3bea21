import { Decoder, Encoder } from "@msgpack/msgpack";
import { plainBytes } from "@/engine/bytes";
import type { ChannelDefinition } from "@/engine/formats/channel-definition";
import type { PackedChunk, PackedFile, SharedSets } from "@/engine/formats/indexed-file";
import { RecordingError } from "@/engine/formats/recording-error";

/** Rises when the layout changes; a pack of another version is made again. */
const packVersion = 1;

/** A column of numbers per chunk; times in nanoseconds. */
interface WireChunks {
  offset: Uint8Array;
  length: Uint8Array;
  uncompressed: Uint8Array;
  start: Uint8Array;
  end: Uint8Array;
  form: Uint8Array;
  /** Which of `sets`, from 1; 0 for chunks of which it is not known. */
  set: Uint8Array;
}

interface WireFile extends Omit<PackedFile, "chunks" | "definitions"> {
  /** With the place of its schema in `schemas`. */
  definitions: (Omit<ChannelDefinition, "schemaData"> & { schema: number })[];
  schemas: Uint8Array[];
  sets: number[][];
  chunks: WireChunks;
}

// Threads of pages only decode, and leave the encoder out.
const encoder = /* @__PURE__ */ new Encoder({ useBigInt64: true, initialBufferSize: 65_536 });
const decoder = new Decoder({ useBigInt64: true });

const toBytes = (numbers: Float64Array | BigInt64Array | Uint32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
/** A copy, because the numbers need not be aligned within the pack. */
const align = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

function encodeChunks(chunks: readonly PackedChunk[]): { columns: WireChunks; sets: number[][] } {
  const known = new Map<ReadonlySet<number>, number>();
  const sets: number[][] = [];
  const toSet = (slots: ReadonlySet<number> | null): number => {
    if (slots === null) return 0;
    const place = known.get(slots) ?? sets.push([...slots]);
    known.set(slots, place);
    return place;
  };
  const numbers = (pick: (chunk: PackedChunk) => number) => toBytes(Float64Array.from(chunks, pick));
  const times = (pick: (chunk: PackedChunk) => bigint) => toBytes(BigInt64Array.from(chunks, pick));
  const columns = {
    offset: numbers(({ offset }) => offset),
    length: numbers(({ length }) => length),
    uncompressed: numbers(({ uncompressedBytes }) => uncompressedBytes),
    start: times(({ startTime }) => startTime),
    end: times(({ endTime }) => endTime),
    form: numbers(({ form }) => form),
    set: toBytes(Uint32Array.from(chunks, ({ slots }) => toSet(slots))),
  };
  return { columns, sets };
}

function encodeFile({ id, format, definitions, slots, chunks }: PackedFile): WireFile {
  const schemas: Uint8Array[] = [];
  const places = new Map<Uint8Array, number>();
  const { columns, sets } = encodeChunks(chunks);
  return {
    id,
    format,
    slots,
    definitions: definitions.map(({ schemaData, ...rest }) => {
      const schema = places.get(schemaData) ?? schemas.push(schemaData) - 1;
      places.set(schemaData, schema);
      return { ...rest, schema };
    }),
    schemas,
    sets,
    chunks: columns,
  };
}

/** Encodes what is known of a recording's files. */
export const encodePack = (files: readonly PackedFile[]): Uint8Array =>
  encoder.encode({ version: packVersion, files: files.map(encodeFile) });

/** Decodes what `encodePack` made; null for another version of it. `sets`: shared with the readers of the files. */
export function decodePack(bytes: Uint8Array, sets: SharedSets): PackedFile[] | null {
  let pack: unknown;
  try {
    pack = decoder.decode(plainBytes(bytes));
  } catch {
    throw new RecordingError("The table of the recording's chunks is damaged.");
  }
  const { version, files } = pack as { version: number; files: WireFile[] };
  return version === packVersion ? files.map((file) => decodeFile(file, sets)) : null;
}

function decodeFile({ definitions, schemas, sets, chunks, ...file }: WireFile, shared: SharedSets): PackedFile {
  const [offset, length, uncompressed, form] = [chunks.offset, chunks.length, chunks.uncompressed, chunks.form].map(
    (column) => new Float64Array(align(column)),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const [start, end] = [new BigInt64Array(align(chunks.start)), new BigInt64Array(align(chunks.end))];
  const slots = sets.map((set) => shared.get(set));
  return {
    ...file,
    definitions: definitions.map(({ schema, ...rest }) => ({
      ...rest,
      schemaData: schemas[schema] ?? new Uint8Array(0),
    })),
    chunks: Array.from(new Uint32Array(align(chunks.set)), (set, at) => ({
      offset: offset[at]!,
      length: length[at]!,
      uncompressedBytes: uncompressed[at]!,
      startTime: start[at]!,
      endTime: end[at]!,
      form: form[at]!,
      slots: set === 0 ? null : (slots[set - 1] ?? null),
    })),
  };
}
