import { describeRefusal, filesGone } from "@/components/product/panel-texts";
import type { Outputs } from "@/components/trpc/client";
import { fromBase64 } from "@/engine/bytes";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { openPackedChunks } from "@/engine/formats/packed/packed-chunks";
import { loadRareEncodings } from "./rare-encodings";

/** What `recordings.openPack` answers. */
export type RecordingPack = Outputs["recordings"]["openPack"];

/** The most bytes of one address; the server answers no longer ones. */
const maxPartBytes = 64 * 1024 * 1024;

/** Requests an address of the server. */
export type GetPart = (address: string, signal?: AbortSignal) => Promise<Response>;

/** Why the server gave no bytes, for people. */
async function readRefusal(response: Response): Promise<string> {
  const { status } = response;
  if (status === 401) return "You are signed out. Reload the page.";
  if (status === 404) return filesGone;
  if (status === 409) return "The recording was processed again. Reload the page.";
  const body: unknown = await response.json().catch(() => null);
  const detail = typeof body === "object" && body !== null && "detail" in body ? body.detail : null;
  // The fault is that of a bucket, which the detail names.
  if ((status === 502 || status === 503) && typeof detail === "string") return describeRefusal(detail, status);
  return `The recording could not be read (${status}).`;
}

/** A file read in parts, each by an address of its own, so that the browser reads several at once and keeps them. */
function openFile(
  uid: string,
  file: RecordingPack["files"][number],
  get: GetPart,
  onBytes: (bytes: number) => void,
): ByteSource {
  const readPart = async (offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array> => {
    const address = `/media/recordings/${uid}/${file.version}/${offset}-${length}?file=${file.uid}`;
    const response = await get(address, signal);
    if (!response.ok) throw new Error(await readRefusal(response));
    const part = new Uint8Array(await response.arrayBuffer());
    onBytes(part.length);
    return part;
  };
  return {
    id: file.uid,
    size: file.size_bytes,
    async read(offset, wanted, _target, signal) {
      const length = Math.min(wanted, file.size_bytes - offset);
      if (length <= maxPartBytes) return readPart(offset, length, signal);
      const all = new Uint8Array(length);
      for (let at = 0; at < length; at += maxPartBytes) {
        all.set(await readPart(offset + at, Math.min(maxPartBytes, length - at), signal), at);
      }
      return all;
    },
  };
}

/**
 * Opens a recording for reading single messages of it, with what decodes them; `onBytes` learns of what arrived. Throws a
 * RecordingError when its pack cannot be used.
 */
export async function openRecordingPack(
  uid: string,
  { pack, files, start_ns, end_ns }: RecordingPack,
  codecs: Codecs,
  get: GetPart = (address, signal) => fetch(address, { signal: signal ?? null }),
  onBytes: (bytes: number) => void = () => {},
): Promise<{ chunks: ChunkReader }> {
  const sources = new Map(files.map((file) => [file.uid, openFile(uid, file, get, onBytes)]));
  const bytes = fromBase64(pack);
  const opened = openPackedChunks(bytes, sources, codecs);
  if (opened === null) throw new Error("Reload the page: it is older than the server.");
  await loadRareEncodings(opened.files.flatMap(({ definitions }) => definitions));
  opened.chunks.range = { start: BigInt(start_ns), end: BigInt(end_ns) };
  return { chunks: opened.chunks };
}
