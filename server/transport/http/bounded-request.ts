import { IncomingMessage } from "node:http";
import { defaultMaxBodyBytes } from "@/server/transport/rest/body";

/** How receiving a body ended: complete, larger than allowed, or aborted because the client closed the connection. */
export type BodyOutcome = "complete" | "too_large" | "aborted";

/** Limits of reading the rest of a body after the response, in bytes and milliseconds. */
const maxDiscarded = { bytes: 8 * 1024 * 1024, ms: 5_000 };

/**
 * A request whose body cannot grow beyond `maxBodyBytes`. The HTTP server creates every request with this class, so
 * that no entry point is without a limit.
 */
export class BoundedRequest extends IncomingMessage {
  /** The server's listener, which runs before the body is parsed, may set another value. */
  maxBodyBytes = defaultMaxBodyBytes;
  #received = 0;
  #discarded = 0;
  #mode: "streaming" | "buffering" | "discarding" = "streaming";
  #buffered: Buffer[] = [];
  #resolve: (outcome: BodyOutcome) => void = () => {};

  /** Whether the body is larger than allowed, according to its declared length or the bytes received so far. */
  get tooLarge(): boolean {
    return Math.max(Number(this.headers["content-length"] ?? 0), this.#received) > this.maxBodyBytes;
  }

  /** Whether the server is waiting for the client, and not the received bytes for a reader. */
  get awaitsSender(): boolean {
    return !this.complete && (this.#mode !== "streaming" || this.readableLength === 0);
  }

  /** Receives a chunk from the parser. The one that exceeds the limit is still delivered, so that a reader notices. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#resolve("complete");
      return super.push(null);
    }
    if (this.#mode === "discarding") {
      this.#discarded += chunk.length;
      if (this.#discarded > maxDiscarded.bytes) this.#resolve("too_large");
      return true;
    }
    const fits = this.#received <= this.maxBodyBytes;
    this.#received += chunk.length;
    if (this.#received > this.maxBodyBytes) this.#resolve("too_large");
    if (fits && this.#mode === "buffering") this.#buffered.push(chunk);
    return (fits && super.push(chunk)) || this.#mode === "buffering";
  }

  /** Reads the body into memory, from where a handler reads it. Must be called before any of it is received. */
  buffer(): Promise<BodyOutcome> {
    this.#mode = "buffering";
    return this.#outcome();
  }

  /** The body that `buffer` has received. The handler still reads it from the stream. */
  takeBuffered(): Buffer {
    return Buffer.concat(this.#buffered.splice(0));
  }

  /** Reads and drops the rest of the body. Resolves at its end, or when it is too large or too slow. */
  async discard(): Promise<void> {
    if (this.complete || this.destroyed) return;
    this.#mode = "discarding";
    this.#buffered = [];
    const timer = setTimeout(() => this.#resolve("too_large"), maxDiscarded.ms);
    const outcome = this.#outcome();
    this.socket.resume(); // a full buffer has paused it
    await outcome;
    clearTimeout(timer);
  }

  #outcome(): Promise<BodyOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.once("close", () => resolve("aborted"));
    });
  }
}
