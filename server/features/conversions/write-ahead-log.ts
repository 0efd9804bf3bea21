import { open, stat } from "node:fs/promises";
import { toDataView } from "@/engine/bytes";
import type { ConversionOptions } from "@/engine/formats/conversion";

/**
 * What SQLite can read of a write-ahead log. `cut`: whole transactions, then damage; `empty`: no whole transaction;
 * `damaged`: nothing; `foreign`: it was not written beside this database.
 */
export type LogState = "whole" | "cut" | "empty" | "damaged" | "foreign";

const headerBytes = 32;
const frameHeaderBytes = 24;
const blockBytes = 1024 * 1024;
/** The last bit of the magic number says which byte order the sums have. */
const magic = 0x377f0682;
const version = 3_007_000;
/** Frames of before the log was begun anew follow the new ones: each time its first salt counts up, its second changes. */
const maxAge = 1_000_000;

/** The sum that SQLite chains over a log: of pairs of 32-bit words. */
class Checksum {
  private first = 0;
  private second = 0;

  constructor(private readonly littleEndian: boolean) {}

  add(view: DataView, from: number, to: number): void {
    let [first, second] = [this.first, this.second];
    for (let at = from; at < to; at += 8) {
      first = (first + view.getUint32(at, this.littleEndian) + second) | 0;
      second = (second + view.getUint32(at + 4, this.littleEndian) + first) | 0;
    }
    [this.first, this.second] = [first, second];
  }

  /** Whether the sum is the one stored at `at`. */
  isAt(view: DataView, at: number): boolean {
    return view.getInt32(at) === this.first && view.getInt32(at + 4) === this.second;
  }
}

/** Follows the chained sums of the log beside a database file. SQLite ends at the first wrong one without a word. */
export async function examineLog(
  log: string,
  database: string,
  { isDue, pause }: Pick<ConversionOptions, "isDue" | "pause">,
): Promise<LogState> {
  const { size } = await stat(log);
  if (size === 0) return "empty";
  const pages = await readPages(database);
  const handle = await open(log, "r");
  try {
    const head = new DataView(new ArrayBuffer(headerBytes));
    const { bytesRead } = await handle.read(head, 0, headerBytes, 0);
    const sum = new Checksum((head.getUint32(0) & 1) === 0);
    sum.add(head, 0, 24);
    const known = (head.getUint32(0) & ~1) === magic && head.getUint32(4) === version;
    if (bytesRead < headerBytes || !known || !sum.isAt(head, 24)) return "damaged";
    const pageBytes = head.getUint32(8);
    if (pageBytes !== pages.bytes) return "foreign";

    const frameBytes = frameHeaderBytes + pageBytes;
    const block = new Uint8Array(Math.max(1, Math.floor(blockBytes / frameBytes)) * frameBytes);
    const view = toDataView(block);
    let committed: number | null = null;
    const end = (state: "whole" | "cut"): LogState => {
      if (committed === null) return state === "whole" ? "empty" : "damaged";
      return committed < pages.count ? "foreign" : state;
    };
    for (let at = headerBytes; ;) {
      const { bytesRead: filled } = await handle.read(block, 0, block.length, at);
      for (let start = 0; start < filled; start += frameBytes) {
        if (filled - start < frameHeaderBytes) return end("cut");
        const age = (head.getUint32(16) - view.getUint32(start + 8)) >>> 0;
        const isOther = view.getUint32(start + 12) !== head.getUint32(20);
        if (isBlank(view, start) || (age > 0 && age < maxAge && isOther)) return end("whole");
        if (filled - start < frameBytes) return end("cut");
        sum.add(view, start, start + 8);
        sum.add(view, start + frameHeaderBytes, start + frameBytes);
        if (age !== 0 || isOther || !sum.isAt(view, start + 16)) return end("cut");
        const pagesAfter = view.getUint32(start + 4);
        if (pagesAfter > 0) committed = pagesAfter;
      }
      if (filled < block.length) return end("whole");
      at += filled;
      if (isDue()) await pause();
    }
  } finally {
    await handle.close();
  }
}

/** The bytes of a page of a database file, and how many the file has. */
async function readPages(database: string): Promise<{ bytes: number; count: number }> {
  const handle = await open(database, "r");
  try {
    const head = new DataView(new ArrayBuffer(2));
    await handle.read(head, 0, 2, 16);
    const bytes = head.getUint16(0) === 1 ? 65_536 : head.getUint16(0);
    return { bytes, count: Math.floor((await handle.stat()).size / Math.max(512, bytes)) };
  } finally {
    await handle.close();
  }
}

function isBlank(view: DataView, at: number): boolean {
  for (let byte = 0; byte < frameHeaderBytes; byte += 4) if (view.getUint32(at + byte) !== 0) return false;
  return true;
}
