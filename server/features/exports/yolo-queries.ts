import pMap from "p-map";
import type { ExportContent, FormatWriter } from "@/server/features/exports/format";
import {
  readItems,
  selectProjects,
  selectResults,
  type SelectedDataset,
  type SelectedItem,
  type SelectedResult,
  type ExportSelection,
} from "@/server/features/exports/selection-queries";
import { writeZip, type ZipEntry } from "@/server/features/exports/zip";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { storeConcurrency } from "@/server/platform/storage/store";

const extensions: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** The labels of the projects in their order, then further labels in results. */
async function listClasses(
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<Map<string, number>> {
  const classes = new Map<string, number>();
  const add = (name: string) => {
    if (!classes.has(name)) classes.set(name, classes.size);
  };
  const projects = await selectProjects(ctx, selection, datasets);
  for (const { labels } of projects) for (const { name } of labels) add(name);
  const named = await query(
    ctx,
    { name: text },
    Prisma.sql`select distinct unnest(r.labels) as name from results r
      where r.project_id = any(${projects.map(({ uid }) => uid)}) and r.status <> 'rejected' order by 1`,
  );
  for (const { name } of named) add(name);
  return classes;
}

type Annotation = SelectedResult["annotations"][number];

/** Left, top, right and bottom of a box or polygon; null for other types. */
function computeBounds({ type, coordinates }: Annotation): [number, number, number, number] | null {
  if (type === "bbox") {
    const { x, y, width, height } = coordinates as { x: number; y: number; width: number; height: number };
    return [x, y, x + width, y + height];
  }
  if (type !== "polygon") return null;
  const points = (coordinates as { points: [number, number][] }).points;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** The line `class x y width height`: centre and size as fractions of the picture; null outside of it. */
export function yoloLine(
  annotation: Annotation,
  width: number,
  height: number,
  classes: ReadonlyMap<string, number>,
): string | null {
  const bounds = computeBounds(annotation);
  const at = classes.get(annotation.label);
  if (!bounds || at === undefined) return null;
  const within = (value: number, max: number) => Math.min(Math.max(value, 0), max) / max;
  const [left, top, right, bottom] = [
    within(bounds[0], width),
    within(bounds[1], height),
    within(bounds[2], width),
    within(bounds[3], height),
  ];
  if (right <= left || bottom <= top) return null;
  const fractions = [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top];
  return `${at} ${fractions.map((fraction) => fraction.toFixed(6)).join(" ")}`;
}

/** A file's path in the archive without extension: the item's key, made unique by the end of its uid. */
const formatStem = ({ key, uid }: SelectedItem): string => {
  const parts = key
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map(displayName);
  const last = (parts.pop() ?? "item").replace(/\.[^.]+$/, "");
  return [...parts, `${last}_${uid.slice(-12)}`].join("/");
};

const quoted = (text: string): string => JSON.stringify(text);

/** Larger pictures are streamed; smaller ones are read ahead in bundles of at most `readAhead`. */
const streamAboveBytes = 1024 * 1024;
const readAhead = { items: 32, bytes: 8 * 1024 * 1024 } as const;

/** Consecutive items that are read ahead together. */
function* bundleItems(items: readonly SelectedItem[]): Generator<SelectedItem[]> {
  let bundle: SelectedItem[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Number(item.size_bytes);
    if (bundle.length > 0 && (bundle.length >= readAhead.items || bytes + size > readAhead.bytes)) {
      yield bundle;
      [bundle, bytes] = [[], 0];
    }
    bundle.push(item);
    bytes += size;
  }
  if (bundle.length > 0) yield bundle;
}

/**
 * The entries of an archive in the reference layout: `data.yaml`, `images/<dataset>/…` and, for each picture,
 * `labels/<dataset>/….txt`.
 */
async function* readEntries({ ctx, selection, datasets, onProgress }: ExportContent): AsyncGenerator<ZipEntry> {
  const classes = await listClasses(ctx, selection, datasets);
  const names = [...classes].map(([name, at]) => `  ${at}: ${quoted(name)}`);
  const yaml = [
    "path: .",
    "train: images",
    "val: images",
    `nc: ${classes.size}`,
    names.length > 0 ? "names:" : "names: []",
    ...names,
    "",
  ];
  yield { name: "data.yaml", bytes: Buffer.from(yaml.join("\n")) };
  const store = objectStore();
  for (const dataset of datasets) {
    for await (const items of readItems(ctx, dataset)) {
      const results = new Map<string, SelectedResult[]>();
      for (const result of await selectResults(ctx, items, selection.projects)) {
        const same = results.get(result.item_id);
        if (same) same.push(result);
        else results.set(result.item_id, [result]);
      }
      for (const bundle of bundleItems(items.filter(isPicture))) {
        const read = await pMap<SelectedItem, ZipEntry["bytes"]>(
          bundle,
          ({ storage_key, size_bytes }) =>
            size_bytes > streamAboveBytes
              ? store.read(storage_key)
              : store.readBytes(storage_key, 0, Number(size_bytes)),
          { concurrency: storeConcurrency },
        );
        for (const [at, item] of bundle.entries()) {
          const stem = `${dataset.slug}/${formatStem(item)}`;
          yield { name: `images/${stem}.${extensions[item.media_type]}`, bytes: read[at] ?? Buffer.alloc(0) };
          yield { name: `labels/${stem}.txt`, bytes: formatLabels(item, results.get(item.uid) ?? [], classes) };
        }
      }
      await onProgress(items.length);
    }
  }
}

const getSize = ({ metadata }: SelectedItem) => metadata as { width?: number; height?: number };
function isPicture(item: SelectedItem): boolean {
  const { width, height } = getSize(item);
  return extensions[item.media_type] !== undefined && Boolean(width) && Boolean(height);
}

function formatLabels(
  item: SelectedItem,
  results: readonly SelectedResult[],
  classes: ReadonlyMap<string, number>,
): Buffer {
  const { width = 1, height = 1 } = getSize(item);
  const lines = results
    .flatMap(({ annotations }) => annotations)
    .map((annotation) => yoloLine(annotation, width, height, classes))
    .filter((line) => line !== null);
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

export const yolo: FormatWriter = {
  extension: "zip",
  write: (target, content) => writeZip(readEntries(content), target),
};
