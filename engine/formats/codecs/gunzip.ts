import { gunzipSync } from "fflate";
import type { Decompress } from "@/engine/formats/codecs/codecs";

/** Decompresses gzip in a browser, whose own decompression only works on streams. */
export const gunzip: Decompress = (source, size) => gunzipSync(source, { out: new Uint8Array(size) });
