import type { Completer } from "@/engine/formats/channel-definition";

/** One file of a recording, readable at any position. */
export interface ByteSource {
  size: number;
  /** The uploader's name for the file, for warnings. */
  name?: string;
  /** Why it cannot be read, when that is known before: the end of a sentence that begins with the file. */
  unread?: string;
  /** Bytes of the upload that it was made from, by which it is limited what it decompresses to; its size when absent. */
  uploadedBytes?: number;
  /** What the caller knows the file by; attachments name it. */
  id?: string;
  /** What is known of the messages beside what the recording says of them. */
  completer?: Completer;
  /**
   * The bytes of [offset, offset + length), fewer only at the end of the file. They may be put at the beginning of
   * `target`, which is at least as long; the result is then a part of it. May reject once `signal` is aborted.
   */
  read(offset: number, length: number, target?: Uint8Array, signal?: AbortSignal): Promise<Uint8Array>;
}

/** A byte source over bytes already in memory. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.byteLength,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}

/** A byte source over a file that a browser's user chose, or any other Blob. */
export function blobSource(blob: Blob): ByteSource {
  return {
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}
