/** Bytes as the body of an object, in one piece: a Blob would hand them over in many. */
export const toByteStream = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
