import { getExtension } from "@/domain/recordings/file-names";
import { equalBytes, latin1Text } from "@/engine/bytes";
import type { Warnings } from "@/engine/formats/indexed-file";
import { quoted } from "@/engine/formats/recording-error";

/** A file of a recording that no reader takes. */
export interface UnreadFile {
  /** The uploader's name for it; null when unknown. */
  name: string | null;
  /** Why, as the end of a sentence that begins with the file. */
  reason: string;
}

const formats: readonly { magic: readonly number[]; reason: string }[] = [
  { magic: [0x28, 0xb5, 0x2f, 0xfd], reason: "is compressed as a whole: unpack it with `zstd -d` first" },
  { magic: [0x1f, 0x8b], reason: "is compressed as a whole: unpack it with `gunzip` first" },
  { magic: [0x42, 0x5a, 0x68], reason: "is compressed as a whole: unpack it with `bunzip2` first" },
  { magic: [0x04, 0x22, 0x4d, 0x18], reason: "is compressed as a whole: unpack it with `lz4 -d` first" },
  {
    magic: [0x37, 0x7f, 0x06],
    reason: "is the write-ahead log of a db3 file: upload both together, with their own names",
  },
  { magic: [0x50, 0x4b, 0x03, 0x04], reason: "is a ZIP archive: unpack it first" },
];

/** Why a file that begins with these bytes is not read. */
export function reasonNotRead(magic: Uint8Array): string {
  const text = latin1Text(magic);
  if (text.startsWith("#ROSBAG V")) return "is a ROS bag of a version other than 2.0, which cannot be read";
  const known = formats.find((format) =>
    equalBytes(magic.subarray(0, format.magic.length), Uint8Array.from(format.magic)),
  );
  return known?.reason ?? "is neither an MCAP file nor a ROS 1 bag, a ROS 2 db3 file or a ULog file";
}

const maxNames = 3;

/** Warns of files that stay unread beside others, once for each kind of file: a folder may hold a thousand images. */
export function warnOfUnread(files: readonly UnreadFile[], warnings: Warnings): void {
  const kinds = new Map<string, UnreadFile[]>();
  for (const file of files) {
    const kind = `${file.name === null ? "" : (getExtension(file.name) ?? "")}\n${file.reason}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), file]);
  }
  for (const list of kinds.values()) {
    const reason = list[0]?.reason ?? "";
    const names = list.flatMap(({ name }) => (name === null ? [] : [quoted(name)]));
    const shown = names.slice(0, maxNames).join(", ");
    const more = list.length - Math.min(names.length, maxNames);
    const which = shown === "" ? `${more}` : more > 0 ? `${shown} and ${more} more` : shown;
    warnings.add(
      list.length === 1
        ? `${shown === "" ? "A file" : shown} is kept but not read: it ${reason}.`
        : `${which} files are kept but not read: each ${reason}.`,
    );
  }
}
