import { IncomingMessage } from "node:http";
import { defaultMaxBodyBytes } from "@/server/transport/rest/body";

/** How a body arrived: whole, larger than allowed, or not to its end because the client closed the connection. */
export type BodyOutcome = "complete" | "too_large" | "aborted";

/** What is still read of a body after the answer: bytes, and milliseconds. */
const maxDiscarded = { bytes: 8 * 1024 * 1024, ms: 5_000 };

/**
 * A request whose body cannot grow beyond `maxBodyBytes`, whoever reads it. The HTTP server makes every request one of
 * these, so that an entry without a limit cannot exist.
 */
export class BoundedRequest extends IncomingMessage {
  /** The default holds unless the server's listener, which runs before the body is parsed, sets another. */
  maxBodyBytes = defaultMaxBodyBytes;
  #received = 0;
  #discarded = 0;
  #mode: "streaming" | "buffering" | "discarding" = "streaming";
  #resolve: (outcome: BodyOutcome) => void = () => {};

  /** Whether the body is larger than allowed, as far as is known by now. */
  get tooLarge(): boolean {
    return Math.max(Number(this.headers["content-length"] ?? 0), this.#received) > this.maxBodyBytes;
  }

  /**
   * Whether the rest of the body is the sender's to send. What has arrived, as far as there is room, is ours to read.
   */
  get awaitsSender(): boolean {
    return !this.complete && (this.#mode !== "streaming" || this.readableLength === 0);
  }

  /** Takes a chunk from the parser. The one that crosses the limit is still delivered, for a reader to notice. */
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
    return (fits && super.push(chunk)) || this.#mode === "buffering";
  }

  /** Reads the body into memory, for a handler to read it from there. To be called before any of it has arrived. */
  buffer(): Promise<BodyOutcome> {
    this.#mode = "buffering";
    return this.#outcome();
  }

  /** Drops what is still to come of the body. Resolves when that has come, or was too much or too slow to wait for. */
  async discard(): Promise<void> {
    if (this.complete || this.destroyed) return;
    this.#mode = "discarding";
    const timer = setTimeout(() => this.#resolve("too_large"), maxDiscarded.ms);
    const outcome = this.#outcome();
    this.socket.resume(); // which a full buffer has paused
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
