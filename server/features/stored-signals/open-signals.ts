import { SignalFileReader } from "@/engine/signals/signal-file-reader";
import type { SignalSource } from "@/server/features/stored-signals/source-queries";
import { signalCodecs } from "@/server/platform/signal-compression";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Runs `work` with the reader of a file of signals; null when the file was deleted, as it is before it is written anew. */
export async function openSignals<T>(
  { key, size }: SignalSource,
  work: (reader: SignalFileReader) => Promise<T | null>,
): Promise<T | null> {
  const store = objectStore();
  const source = { size, read: (offset: number, length: number) => store.readBytes(key, offset, length) };
  try {
    return await work(await SignalFileReader.open(source, await signalCodecs()));
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  }
}
