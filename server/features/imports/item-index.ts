import type { PictureSize } from "@/domain/annotations/picture-bounds";
import type { ReadPicture } from "@/server/features/imports/formats/annotation-file";
import { itemsOfPage, listItems, type IndexedItem } from "@/server/features/imports/item-queries";
import type { Ctx } from "@/server/platform/context";

const bytesOfUuid = 16;

export type PictureName = Pick<ReadPicture, "name" | "uid" | "uidEnd">;

/** The task of a picture, how it was found, and the size of its item if that is known. */
export interface Match {
  task: string;
  by: "key" | "name";
  size: PictureSize | null;
}

/** Two times FNV-1a, of which 53 bits are kept: so many names of a project never share one, as good as surely. */
function hash(name: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (low >>> 15), 0x85ebca6b);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const withoutExtension = (path: string): string => path.replace(/\.[^./]+$/, "");

/** Numbers with the rows that have them, in order. */
interface Column {
  hashes: Float64Array;
  rows: Uint32Array;
}

function sortColumn(hashes: Float64Array): Column {
  const rows = Uint32Array.from({ length: hashes.length }, (_, row) => row);
  rows.sort((a, b) => (hashes[a] ?? 0) - (hashes[b] ?? 0));
  return { hashes: Float64Array.from(rows, (row) => hashes[row] ?? 0), rows };
}

/** The row with a number; null for none, and for several. */
function findOnly({ hashes, rows }: Column, hash: number): number | null {
  let [low, high] = [0, hashes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hashes[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  return hashes[low] === hash && hashes[low + 1] !== hash ? (rows[low] ?? null) : null;
}

const names = {
  uid: ({ item }: IndexedItem) => item,
  uidEnd: ({ item }: IndexedItem) => item.slice(-12),
  key: ({ key }: IndexedItem) => key,
  datasetKey: ({ dataset, key }: IndexedItem) => `${dataset}/${key}`,
  keyStem: ({ key }: IndexedItem) => withoutExtension(key),
  last: ({ key }: IndexedItem) => lastPart(key),
  stem: ({ key }: IndexedItem) => withoutExtension(lastPart(key)),
} as const;
type NameKind = keyof typeof names;
const nameKinds = Object.keys(names) as NameKind[];

/**
 * Finds the tasks of a project by names of pictures. Holds some hundred bytes a task and no names, so that it stays small for a
 * project of a million.
 */
export class ItemIndex {
  private constructor(
    private readonly uuids: Buffer,
    private readonly sizes: Float64Array,
    private readonly columns: Readonly<Record<NameKind, Column>>,
  ) {}

  static async ofProject(ctx: Ctx, project: string, signal: AbortSignal): Promise<ItemIndex> {
    const uuids: Buffer[] = [];
    const sizes: number[] = [];
    const hashes = Object.fromEntries(nameKinds.map((kind) => [kind, [] as number[]])) as Record<NameKind, number[]>;
    for (let after = ""; ;) {
      const items = await listItems(ctx, project, after);
      uuids.push(Buffer.from(items.map(({ task }) => task.replaceAll("-", "")).join(""), "hex"));
      for (const item of items) {
        sizes.push(item.width ?? 0, item.height ?? 0);
        for (const kind of nameKinds) hashes[kind].push(hash(names[kind](item)));
      }
      signal.throwIfAborted();
      after = items.at(-1)?.task ?? "";
      if (items.length < itemsOfPage) break;
    }
    const columns = Object.fromEntries(
      nameKinds.map((kind) => [kind, sortColumn(Float64Array.from(hashes[kind]))]),
    ) as Record<NameKind, Column>;
    return new ItemIndex(Buffer.concat(uuids), Float64Array.from(sizes), columns);
  }

  /**
   * The task of a picture: by the uid of its item where the file has that, by its key, else by its name alone where only one
   * item has that name; null for none.
   */
  find({ name, uid, uidEnd }: PictureName): Match | null {
    const by = (kind: NameKind, value: string) => findOnly(this.columns[kind], hash(value));
    const own = (uid === null ? null : by("uid", uid)) ?? by("key", name) ?? by("datasetKey", name);
    // Names without extension are whole ones, too: files of YOLO have no others.
    const row = own ?? by("keyStem", name) ?? (uidEnd === null ? null : by("uidEnd", uidEnd));
    if (row !== null) return this.toMatch(row, "key");
    const alone = by("last", lastPart(name)) ?? by("stem", lastPart(name));
    return alone === null ? null : this.toMatch(alone, "name");
  }

  private toMatch(row: number, by: Match["by"]): Match {
    const hex = this.uuids.toString("hex", row * bytesOfUuid, (row + 1) * bytesOfUuid);
    const task = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
    const [width = 0, height = 0] = this.sizes.subarray(row * 2, row * 2 + 2);
    return { task, by, size: width > 0 && height > 0 ? { width, height } : null };
  }
}
