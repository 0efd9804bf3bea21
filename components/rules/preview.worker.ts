/**
 * The thread that previews of rules are computed in on a page. Built by scripts/page-workers.mjs, and served with a
 * policy of its own, since the page's refuses WebAssembly.
 */
import zstdAddress from "@foxglove/wasm-zstd/dist/wasm-zstd.wasm";
import { expose } from "comlink";
import { parseCondition } from "@/domain/conditions/condition-schema";
import type { PreviewResult } from "@/domain/rules/preview";
import type { ByteSource } from "@/engine/formats/byte-source";
import { gunzip } from "@/engine/formats/codecs/gunzip";
import { loadZstd } from "@/engine/formats/codecs/zstd-wasm";
import type { SignalCodecs } from "@/engine/signals/signal-file-reader";
import { PagePreview, type OpenFile } from "./page-preview";
import type { PreviewColumns } from "./query";
import type { CountedRecording } from "./suggestions/outcomes";

/** Reads parts of a topic's file, each by an address of its own (server/transport/media/media-router.ts). */
const openFile: OpenFile = (uid, { topic, version, size_bytes: size }): ByteSource => ({
  size,
  async read(offset, wanted) {
    const length = Math.min(wanted, size - offset);
    const part = `${uid}/${version}/${offset}-${length}`;
    const response = await fetch(`/media/signals/${part}?topic=${encodeURIComponent(topic)}`);
    if (!response.ok) throw new Error(`Signals of ${topic} cannot be read: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  },
});

async function loadCodecs(): Promise<SignalCodecs> {
  const response = await fetch(zstdAddress);
  return { zstd: await loadZstd(new Uint8Array(await response.arrayBuffer())), gzip: gunzip };
}

let codecs: Promise<SignalCodecs> | undefined;
let preview: PagePreview | null = null;

const thread = {
  /** Reads the columns, in place of those before; false where the server has to compute previews. */
  async load(columns: PreviewColumns): Promise<boolean> {
    preview = null;
    codecs ??= loadCodecs();
    preview = await PagePreview.load(columns, openFile, await codecs);
    return preview !== null;
  },
  /** The preview of a condition that reads the loaded columns; null where it cannot be computed here. */
  async evaluate(condition: unknown): Promise<PreviewResult | null> {
    return preview?.evaluate(parseCondition(condition)) ?? null;
  },
  /** The recordings of the preview of a condition alone, without what it found in them. */
  async count(condition: unknown): Promise<CountedRecording[] | null> {
    const result = await preview?.evaluate(parseCondition(condition), null);
    return result?.recordings.map((recording) => ({ ...recording, hits: [] })) ?? null;
  },
};
export type PreviewThread = typeof thread;

expose(thread);
