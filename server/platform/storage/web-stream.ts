import type { Readable } from "node:stream";

/**
 * The bytes of a Node stream as a web stream. Node's own conversion (`Readable.toWeb`) ends the process when bytes come
 * after their reader has left: https://github.com/nodejs/node/issues/64529.
 */
export function toWebStream(stream: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    // What is thrown here fails the stream, and nothing once its reader has left.
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      stream.destroy();
    },
  });
}
