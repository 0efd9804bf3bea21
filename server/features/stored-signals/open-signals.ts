import { SignalFileReader } from "@/engine/signals/signal-file-reader";
import type { SignalSource } from "@/server/features/stored-signals/source-queries";
import { signalCodecs } from "@/server/platform/files/signal-compression";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Runs `work` with the reader of a file of signals; null when the file was deleted, as it is before it is written anew. */
export async function openSignals<T>(
  { key, size }: SignalSource,
  work: (reader: SignalFileReader) => Promise<T | null>,
): Promise<T | null> {
  const object = await objectStore()
    .open(key)
    .catch((error: unknown) => {
      if (error instanceof ObjectMissing) return null;
      throw error;
    });
  if (object === null) return null;
  try {
    return await work(await SignalFileReader.open({ size, read: object.read }, await signalCodecs()));
  } catch (error) {
    if (error instanceof ObjectMissing) return null;
    throw error;
  } finally {
    await object.close();
  }
}
