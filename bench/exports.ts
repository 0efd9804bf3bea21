import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import sharp from "sharp";
import { readMemory } from "@/bench/processing";
import { until, type Product } from "@/bench/product";
import { report } from "@/bench/report";

const items = 100_000;
const maxSeconds = 60;
const memoryLimit = 300;

interface Export {
  uid: string;
  status: string;
  size_bytes: number;
  exported_task_count: number | null;
  download_url: string | null;
}

/**
 * Seeds a dataset of images, each with a result of three boxes. All items share one file, which an export reads for
 * each.
 */
async function seed({
  call,
  database,
  organizationId,
  dataDir,
}: Product): Promise<{ dataset: string; project: string }> {
  const dataset = (await call<{ uid: string }>("POST", "/datasets/", { name: "bench of exports" })).uid;
  const labels = [
    { name: "car", color: "#ff0000" },
    { name: "person", color: "#00ff00" },
  ];
  const body = { name: "bench of exports", task_type: "image-annotation", datasets: [dataset], labels };
  const project = (await call<{ uid: string }>("POST", "/projects/", body)).uid;
  const key = `datasets/${organizationId}/${dataset}/picture`;
  const noise = { type: "gaussian", mean: 128, sigma: 30 } as const;
  const picture = await sharp({ create: { width: 160, height: 120, channels: 3, background: "#888", noise } })
    .jpeg({ quality: 80 })
    .toBuffer();
  const file = path.join(dataDir, "files", key);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, picture);
  fs.writeFileSync(`${file}.etag`, '"bench"');
  await database.query(
    `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, size_bytes, annotation_count)
     select gen_random_uuid(), $1, $2, 'drive-7/front/' || n || '.jpg', 'completed', 'image/jpeg',
       '{"format":"jpeg","width":160,"height":120,"channels":3}', $3, $4, 3 from generate_series(1, $5::int) n`,
    [organizationId, dataset, key, picture.length, items],
  );
  await database.query(
    `insert into work_batches (uid, organization_id, project_id, number) values (gen_random_uuid(), $1, $2, 1)`,
    [organizationId, project],
  );
  await database.query(
    `insert into tasks (uid, organization_id, project_id, item_id, batch_id, type, name, status)
     select gen_random_uuid(), $1, $2, i.uid, b.uid, 'image-annotation', i.key, 'completed' from items i, work_batches b
     where i.dataset_id = $3 and b.project_id = $2`,
    [organizationId, project, dataset],
  );
  const box = (label: string, x: number) => ({
    label,
    type: "bbox",
    coordinates: { x, y: 10, width: 30, height: 40 },
    attributes: { occluded: false },
  });
  await database.query(
    `insert into results (uid, organization_id, project_id, task_id, item_id, dataset_id, annotations, annotation_count, labels)
     select gen_random_uuid(), $1, $2, t.uid, t.item_id, $3, $4::jsonb, 3, '{car,person}' from tasks t where t.project_id = $2`,
    [organizationId, project, dataset, JSON.stringify([box("car", 5), box("person", 50), box("car", 100)])],
  );
  await database.query("update datasets set item_count = $2, status = 'created' where uid = $1", [dataset, items]);
  await database.query("analyze items, tasks, results");
  return { dataset, project };
}

/** Seconds to read the same rows with nothing but `pg`, a thousand at a time, and write them to a file as JSON. */
async function bare({ database, dataDir }: Product, dataset: string): Promise<number> {
  const started = performance.now();
  const target = fs.createWriteStream(path.join(dataDir, "bare.json"));
  for (let after = ""; ;) {
    const { rows } = await database.query(
      "select uid, key, metadata from items where dataset_id = $1 and uid > $2 order by uid limit 1000",
      [dataset, after],
    );
    if (rows.length === 0) break;
    after = String(rows.at(-1).uid);
    const results = await database.query(
      "select uid, item_id, project_id, annotations from results where item_id = any($1)",
      [rows.map(({ uid }) => uid)],
    );
    if (!target.write(JSON.stringify([rows, results.rows]))) await once(target, "drain");
  }
  target.end();
  await once(target, "finish");
  return (performance.now() - started) / 1_000;
}

/** Exports of 100,000 items: time from the request to the file, and the worker's peak memory. */
export async function benchExports(product: Product): Promise<void> {
  const { dataset } = await seed(product);
  const anchor = await bare(product, dataset);
  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker");
  // Resets the peak, so that it does not include earlier work.
  fs.writeFileSync(`/proc/${worker}/clear_refs`, "5");
  const idle = readMemory(worker, "VmRSS");
  for (const format of ["avala-json-external", "YOLO", "COCO"]) {
    const started = performance.now();
    const body = { name: `bench ${format}`, format, datasets: [dataset], projects: [], slices: [] };
    const { uid } = await product.call<Export>("POST", "/exports/", body);
    let done: Export | undefined;
    await until(`the ${format} export`, 600, async () => {
      done = await product.call<Export>("GET", `/exports/${uid}/`);
      return done.status === "exported" || done.status === "failed";
    });
    const seconds = (performance.now() - started) / 1_000;
    if (done?.status !== "exported" || done.exported_task_count !== items)
      throw new Error(`the ${format} export ended as ${done?.status}`);
    report({
      name: `Exporting ${items.toLocaleString("en")} items as ${format} (${Math.round(done.size_bytes / 1e6)} MB)`,
      measured: seconds,
      anchor,
      unit: "s",
      ratio: seconds / anchor,
      under: maxSeconds,
      note: "the anchor reads and writes the same rows with nothing but pg",
    });
    const peak = readMemory(worker, "VmHWM");
    report({
      name: "The worker's peak memory until then, beside its idle memory",
      measured: peak,
      anchor: idle,
      unit: "MB",
      ratio: peak / memoryLimit,
      under: memoryLimit,
      note: `ratio to ${memoryLimit} MB`,
    });
  }
}
