import type { AttachmentList } from "@/engine/formats/attachment";
import { pickRef, type ChunkRef, type IndexedFile, type PackedChunk } from "@/engine/formats/indexed-file";
import type { McapCatalogue } from "@/engine/formats/mcap/mcap-catalogue";
import type { McapContext } from "@/engine/formats/mcap/mcap-context";
import type { ReadAhead } from "@/engine/formats/read-ahead";

export interface McapChunk extends ChunkRef {
  /** Messages that lie in the file outside any chunk, treated as one. */
  bare: boolean;
  /** Cut off by the end of the file. */
  cut: boolean;
  /** Why it is too large to be read; null when it is not. */
  excess: string | null;
  /** How many neighbouring chunks are treated as this one; their indexes lie between them. */
  joined: number;
  /** Channels with messages in it; null when unknown. */
  channelIds: ReadonlySet<number> | null;
}

export interface McapIndex {
  chunks: McapChunk[];
  statistics: { messageCount: number; channelCount: number } | null;
  truncated: boolean;
  truncatedEnd: bigint | null;
  attachments: AttachmentList;
}

export interface McapFileParts extends McapContext {
  file: IndexedFile;
  source: ReadAhead;
  catalogue: McapCatalogue;
}

export const packMcapChunk = (chunk: McapChunk): PackedChunk => ({
  ...pickRef(chunk),
  form: chunk.joined * 4 + (chunk.cut ? 2 : 0) + (chunk.bare ? 1 : 0),
});

export const unpackMcapChunk = ({ form, ...chunk }: PackedChunk, file: IndexedFile): McapChunk => ({
  ...chunk,
  file,
  indexOffset: 0,
  indexLength: 0,
  bare: form % 2 === 1,
  cut: (form & 2) !== 0,
  joined: form >> 2,
  excess: null,
  channelIds: null,
});
