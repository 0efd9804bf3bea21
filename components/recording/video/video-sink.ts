import { StreamTarget, type StreamTargetChunk } from "mediabunny";
import { v4 as uuidv4 } from "uuid";

/** Where a video file is written while it grows. */
export interface VideoSink {
  target: StreamTarget;
  /** Whether what was written can be changed: else the file consists of fragments. */
  isSeekable: boolean;
  /** The file, once all of it is written. */
  finish: () => Promise<Blob>;
  /** Lets go of what was written. */
  discard: () => Promise<void>;
}

const prefix = "video-";
/** Milliseconds after which a file of a page that is gone is removed. */
const keptMs = 3_600_000;

/** A file of the browser's own file system, so that memory does not grow with it; memory where there is none. */
export const openVideoSink = (): Promise<VideoSink> => openFile().catch(() => openMemory());

async function openFile(): Promise<VideoSink> {
  const folder = await navigator.storage.getDirectory();
  await removeOld(folder);
  const name = `${prefix}${Date.now()}-${uuidv4()}.mp4`;
  const handle = await folder.getFileHandle(name, { create: true });
  try {
    const writable = await handle.createWritable();
    return {
      target: new StreamTarget(writable, { chunked: true, chunkSize: 2 ** 22 }),
      isSeekable: true,
      finish: () => handle.getFile(),
      discard: () => folder.removeEntry(name),
    };
  } catch (error) {
    await folder.removeEntry(name);
    throw error;
  }
}

async function removeOld(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys()) {
    if (!name.startsWith(prefix)) continue;
    const age = Date.now() - Number(name.split("-")[1]);
    if (age > keptMs) await folder.removeEntry(name).catch(() => {}); // another page may be reading it
  }
}

function openMemory(): VideoSink {
  const parts: Blob[] = [];
  const writable = new WritableStream<StreamTargetChunk>({
    // The browser may keep a Blob on the disk, an array never.
    write: ({ data }) => void parts.push(new Blob([data])),
  });
  return {
    target: new StreamTarget(writable, { chunked: true, chunkSize: 2 ** 22 }),
    isSeekable: false,
    finish: () => Promise.resolve(new Blob(parts, { type: "video/mp4" })),
    discard: () => Promise.resolve(void parts.splice(0)),
  };
}
