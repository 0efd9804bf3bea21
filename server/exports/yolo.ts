import { Readable } from "node:stream";
import yazl from "yazl";
import type { Ctx } from "@/server/context";
import { Prisma } from "@/server/database/generated/client";
import { query } from "@/server/db";
import { itemsOf, projectsOf, resultsOf, type SelectedDataset, type SelectedItem, type SelectedResult, type Wanted } from "@/server/exports/selection";
import { objectStore } from "@/server/storage/current";
import { displayName } from "@/server/storage/file-name";

const extensions: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** Labels in the order of their projects, then what results name beyond them. */
async function classesOf(ctx: Ctx, wanted: Wanted, datasets: readonly SelectedDataset[]): Promise<Map<string, number>> {
  const classes = new Map<string, number>();
  const add = (name: string) => {
    if (!classes.has(name)) classes.set(name, classes.size);
  };
  const projects = await projectsOf(ctx, wanted, datasets);
  for (const { labels } of projects) for (const { name } of labels) add(name);
  const named = await query<{ name: string }>(
    ctx,
    Prisma.sql`select distinct unnest(r.labels) as name from results r
      where r.project_id = any(${projects.map(({ uid }) => uid)}) and r.status <> 'rejected' order by 1`,
  );
  for (const { name } of named) add(name);
  return classes;
}

type Annotation = SelectedResult["annotations"][number];

/** Left, top, right and bottom of what has an extent in the picture; null for what has none. */
function boundsOf({ type, coordinates }: Annotation): [number, number, number, number] | null {
  if (type === "bbox") {
    const { x, y, width, height } = coordinates as { x: number; y: number; width: number; height: number };
    return [x, y, x + width, y + height];
  }
  if (type !== "polygon") return null;
  const points = (coordinates as { points: [number, number][] }).points;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** A line `class x y width height`, the box's centre and size as shares of the picture; null outside of it. */
export function yoloLine(annotation: Annotation, width: number, height: number, classes: ReadonlyMap<string, number>): string | null {
  const bounds = boundsOf(annotation);
  const at = classes.get(annotation.label);
  if (!bounds || at === undefined) return null;
  const within = (value: number, most: number) => Math.min(Math.max(value, 0), most) / most;
  const [left, top, right, bottom] = [within(bounds[0], width), within(bounds[1], height), within(bounds[2], width), within(bounds[3], height)];
  if (right <= left || bottom <= top) return null;
  const shares = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
  return `${at} ${shares.map((share) => share.toFixed(6)).join(" ")}`;
}

/** A file's name within the archive, without its ending: the item's own, and of its uid what keeps two apart. */
const stemOf = ({ key, uid }: SelectedItem): string => {
  const parts = key.split("/").filter((part) => part !== "" && part !== "." && part !== "..").map(displayName);
  const last = (parts.pop() ?? "item").replace(/\.[^.]+$/, "");
  return [...parts, `${last}_${uid.slice(-12)}`].join("/");
};

const quoted = (text: string): string => JSON.stringify(text);

/**
 * A ZIP in the reference layout: `data.yaml`, `images/<dataset>/…` and, beside each picture, `labels/<dataset>/….txt`. Entries are
 * added a thousand at a time, each when the one before was written, so that memory does not grow with them.
 */
export async function yoloArchive(
  ctx: Ctx,
  wanted: Wanted,
  datasets: readonly SelectedDataset[],
  tell: (items: number) => Promise<void>,
): Promise<{ stream: NodeJS.ReadableStream; filled: Promise<void> }> {
  const archive = new yazl.ZipFile();
  const classes = await classesOf(ctx, wanted, datasets);
  const names = [...classes].map(([name, at]) => `  ${at}: ${quoted(name)}`);
  const yaml = ["path: .", "train: images", "val: images", `nc: ${classes.size}`, names.length > 0 ? "names:" : "names: []", ...names, ""];
  archive.addBuffer(Buffer.from(yaml.join("\n")), "data.yaml");

  // Without a listener, a picture that cannot be read to its end would end the process.
  const failed = new Promise<never>((_resolve, reject) => archive.once("error", reject));
  const fill = async () => {
    for (const dataset of datasets) {
      for await (const items of itemsOf(ctx, dataset)) {
        const byItem = new Map<string, SelectedResult[]>();
        for (const result of await resultsOf(ctx, items, wanted.projects)) {
          byItem.set(result.item_id, [...(byItem.get(result.item_id) ?? []), result]);
        }
        for (const item of items) await addItem(archive, dataset, item, byItem.get(item.uid) ?? [], classes);
        await tell(items.length);
      }
    }
    archive.end();
  };
  return { stream: archive.outputStream, filled: Promise.race([fill(), failed]) };
}

async function addItem(
  archive: yazl.ZipFile,
  { slug }: SelectedDataset,
  item: SelectedItem,
  results: readonly SelectedResult[],
  classes: ReadonlyMap<string, number>,
): Promise<void> {
  const extension = extensions[item.media_type];
  const { width, height } = item.metadata as { width?: number; height?: number };
  if (extension === undefined || !width || !height) return;
  const stem = `${slug}/${stemOf(item)}`;
  const lines = results
    .flatMap(({ annotations }) => annotations)
    .map((annotation) => yoloLine(annotation, width, height, classes))
    .filter((line) => line !== null);
  const bytes = Readable.fromWeb((await objectStore().read(item.storage_key)) as Parameters<typeof Readable.fromWeb>[0]);
  const written = new Promise<void>((resolve, reject) => bytes.once("end", resolve).once("error", reject));
  // Pictures are compressed already.
  archive.addReadStream(bytes, `images/${stem}.${extension}`, { compress: false, size: Number(item.size_bytes) });
  archive.addBuffer(Buffer.from(lines.map((line) => `${line}\n`).join("")), `labels/${stem}.txt`, { compress: false });
  await written;
}
