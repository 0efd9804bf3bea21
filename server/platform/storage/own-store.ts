import type { ObjectStore } from "@/server/platform/storage/store";

/** Bytes of one upload: where they begin, where they must end at the latest, and the size of the complete object. */
export interface Part {
  start: number;
  end: number;
  sizeBytes: number;
  body: ReadableStream<Uint8Array>;
  /** When its request came, by `performance.now()`; absent: now. */
  arrivedAt?: number;
}

/** Makes the object visible under its key; called by `Admit` unless the upload is refused. */
export type Publish = () => Promise<void>;
export type Admit = (publish: Publish) => Promise<void>;

/** The number of bytes received of an upload, and the object's tag if they have become the object. */
export interface Received {
  received: number;
  etag: string | null;
}

/** An object, or what is left of an unfinished upload, by its key. */
export interface Listed {
  key: string;
}

/**
 * The installation's own store, on disk or in a bucket that the operator named. Any number of processes may share it.
 * Browsers and interrupted uploads go through our own server, which calls `receive`.
 */
export interface OwnStore extends ObjectStore {
  /** What the operator calls it: a folder, or `s3://bucket/prefix`. */
  readonly location: string;
  /** The number of bytes received of an unfinished upload of an object of this size. */
  receivedBytes(key: string, sizeBytes: number): Promise<number>;
  /** Discards every unfinished upload of a key; a running one, in any process, can no longer become the object. */
  discard(key: string): Promise<void>;
  /**
   * Writes a part that begins at or before the end of the bytes received so far. Once all bytes are there, `admit`
   * decides whether they become the object; `etag` is null otherwise. Of two calls in this process, that whose request
   * came later supersedes the other. When the body fails, received bytes are retained. Throws an UploadRefused of any
   * reason but `short`.
   */
  receive(key: string, part: Part, admit: Admit): Promise<Received>;
  /** Yields every object, in no particular order. */
  list(): AsyncIterable<Listed>;
  /** Yields the unfinished uploads that received nothing since `before`. */
  listUnfinished(before: Date): AsyncIterable<Listed>;
  /** A text that identifies the installation the store belongs to; null before the first start. */
  readMark(): Promise<string | null>;
  writeMark(text: string): Promise<void>;
}
