import type { ByteSource } from "@/engine/formats/byte-source";
import type { Codecs } from "@/engine/formats/codecs/codecs";
import { indexMcap } from "@/engine/formats/mcap/mcap-walk";
import { openPackedChunks, type PackedChunks } from "@/engine/formats/packed/packed-chunks";
import { MergedReader } from "@/engine/formats/reader/merged-reader";

/** A recording opened by its pack. */
export interface OpenPack extends PackedChunks {
  reader: MergedReader;
}

/** Opens a recording as `openPackedChunks` does, with a reader of all its messages. */
export function openPacked(
  pack: Uint8Array,
  sources: ReadonlyMap<string, ByteSource>,
  codecs: Codecs,
  budgetBytes?: number,
): OpenPack | null {
  const opened = openPackedChunks(pack, sources, codecs, { budgetBytes, index: indexMcap });
  return (
    opened && { ...opened, reader: new MergedReader(opened.files, opened.allowance, opened.warnings, opened.unpack) }
  );
}
