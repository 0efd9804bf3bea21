import { fromBase64 } from "@/engine/bytes";
import type { Decompress } from "@/engine/formats/codecs/codecs";
import { lz4Wasm } from "@/engine/formats/codecs/lz4-wasm";

const pageBytes = 65_536;
/** What copies of 16 bytes may read and write beyond the end of the input and of the output. */
const room = 64;

interface Kernel {
  decode(source: number, sourceBytes: number, target: number, targetBytes: number): number;
}

/**
 * Decodes an LZ4 frame into at most `size` bytes, in WebAssembly from lz4.c; of a damaged or truncated frame what
 * precedes the fault. Never throws for bad input. Its memory is as large as the largest chunk and what it was packed in.
 */
export async function loadLz4(): Promise<Decompress> {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const bytes = fromBase64(lz4Wasm);
  const { instance } = await WebAssembly.instantiate(bytes, { env: { memory } });
  const kernel = instance.exports as unknown as Kernel;
  return (source, size, into) => {
    // The first page belongs to the compiled code: its stack.
    const target = Math.ceil((pageBytes + source.length + room) / 16) * 16;
    const missing = target + size + room - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    const heap = new Uint8Array(memory.buffer);
    heap.set(source, pageBytes);
    const end = target + kernel.decode(pageBytes, source.length, target, size);
    if (into === undefined) return heap.slice(target, end);
    into.set(heap.subarray(target, end));
    return into.subarray(0, end - target);
  };
}
