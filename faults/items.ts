import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProduct, until, type Product } from "@/bench/product";
import { fillDataset, listFiles, makeCamera, makeDataset, type Camera, type FaultDataset } from "@/faults/item-scene";
import { quiet } from "@/faults/quiet";
import type { FaultRun } from "@/faults/run";
import { signIn } from "@/faults/sign-in";
import { promise, verdict } from "@/faults/verdict";
import { int4, int8, nullable, queryRows, text } from "@/server/platform/rows";

/** Seconds within which work goes on and ends after a kill. */
const endSeconds = 300;

/** Work that the worker is killed in the middle of. */
interface Work {
  name: string;
  total: number;
  /** How much of it is done, and whether it is over. */
  read: () => Promise<{ done: number; over: boolean }>;
}

/** Kills the worker once a share of the first work is done, and something of the others. Resolves when all have ended. */
async function killDuring(product: Product, works: readonly Work[], share: number): Promise<void> {
  const states = () => Promise.all(works.map((work) => work.read()));
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(2))
    if (
      (await states()).every(
        ({ done, over }, at) => over || (at === 0 ? done > share * (works[0]?.total ?? 0) : done > 0),
      )
    )
      break;
  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker to kill");
  process.kill(worker, "SIGKILL");
  const killed = await states();
  const described = works.map(({ name, total }, at) => `${name} at ${killed[at]?.done} of ${total}`);
  // In the short form one of several may have been faster.
  const missed = killed.every(({ over }) => over) ? ["the worker was killed after the end of everything"] : [];
  promise(`the worker is killed in the middle: ${described.join(", ")}`, missed);
  await until("the end of the work", endSeconds, async () => (await states()).every(({ over }) => over));
}

/** Kills the worker while it extracts frames and changes many items; then each item is there once and all counts are right. */
export async function proveItems(run: FaultRun): Promise<void> {
  const product = await startProduct();
  const failedBefore = verdict().failed;
  try {
    await proveItemWork(product, run);
  } finally {
    if (verdict().failed > failedBefore)
      fs.copyFileSync(product.log, path.join(os.tmpdir(), "muster-faults-items.log"));
    await product.stop();
  }
}

/** The same with a product that runs; the short form kills the worker once, while it extracts and deletes. */
export async function proveItemWork(product: Product, { folder, short, chance, at }: FaultRun): Promise<void> {
  const { frames, items } = short ? { frames: 600, items: 10_000 } : { frames: 5_000, items: 100_000 };
  const camera = await makeCamera(product, folder, frames);
  const [target, many] = [await makeDataset(product, "kill frames"), await makeDataset(product, "kill items")];
  const files = await fillDataset(product, many, items);
  const startEdit = await openEdits(product, many);
  const startDeletion = () => startEdit("deleteMany", { filter: "key = front/*", expected: items / 2 }, "the deletion");
  console.log(`${at()}  ${frames} frames and ${items} items are there`);
  let moment = "";
  const share = () => chance.between(0, 0.6);
  if (short) {
    const deletion = await startDeletion();
    const extraction = await startExtraction(product, target, camera);
    moment = extraction.moment;
    await killDuring(product, [extraction, deletion], share());
  } else {
    const extraction = await startExtraction(product, target, camera);
    moment = extraction.moment;
    await killDuring(product, [extraction], share());
    const metadata = { filter: "", expected: items, metadata: { killed: 1 } };
    await killDuring(product, [await startEdit("updateMany", metadata, "the change")], share());
    promise("every item has its new metadata, and nothing else changed", await checkMetadata(product, many, items));
    await killDuring(product, [await startDeletion()], share());
  }
  promise("all jobs are finished", await quiet(product, endSeconds));
  console.log(`${at()}  checking`);
  promise(
    `each of ${frames} frames is an item once, with its bytes`,
    await checkFrames(product, target, camera.frames),
  );
  promise("the addition and its dataset count what there is", await checkCounts(product, target, moment, frames));
  promise(
    "each frame has its file and its thumbnail, and no file is there without an item",
    await checkFiles(product, target),
  );
  promise(
    `${items / 2} items are deleted once, with their files, and the others stay`,
    await checkDeletion(product, many, items / 2, files.rear),
  );
}

/** Adds all frames of a camera to a dataset. */
async function startExtraction(
  { call }: Product,
  { owner_name: owner, slug }: FaultDataset,
  { recording, from, to, frames }: Camera,
): Promise<Work & { moment: string }> {
  const address = `/datasets/${owner}/${slug}/moments/`;
  const body = { recording_id: recording, from, to, topics: ["/camera"] };
  const { moment_uid: moment } = await call<{ moment_uid: string }>("POST", address, body);
  const read = async () => {
    const { added, status } = await call<{ added: number; status: string }>("GET", `${address}${moment}/`);
    return { done: added, over: status === "done" };
  };
  return { name: "the extraction", total: frames.size, read, moment };
}

/** Signs in, and resolves to what starts a bulk edit of a dataset as the dashboard does. */
async function openEdits(product: Product, { uid: dataset }: FaultDataset) {
  const cookie = await signIn(product);
  return async (kind: "updateMany" | "deleteMany", input: object, name: string): Promise<Work> => {
    const response = await fetch(`${product.url}/api/trpc/items.${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie, "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ dataset, ...input }),
    });
    if (!response.ok) throw new Error(`${kind} responded ${response.status}: ${await response.text()}`);
    const { result } = (await response.json()) as { result: { data: { uid: string; total_count: number } } };
    const { uid, total_count: total } = result.data;
    const read = async () => {
      const [edit] = await queryRows(
        product.database,
        { status: text, done: int4, failed: int4 },
        "select status, done_count as done, failed_count as failed from bulk_edits where uid = $1",
        [uid],
      );
      if (edit && edit.failed > 0) throw new Error(`${edit.failed} items failed in ${name}`);
      return { done: edit?.done ?? 0, over: edit?.status === "done" && edit.done === total };
    };
    return { name, total, read };
  };
}

async function checkMetadata(product: Product, { uid }: FaultDataset, count: number): Promise<string[]> {
  const [row] = await queryRows(
    product.database,
    { count: int4 },
    `select count(*)::int as count from items where dataset_id = $1
       and metadata = jsonb_build_object('width', substring(key from '[0-9]+')::int, 'height', 480, 'killed', 1)`,
    [uid],
  );
  return row?.count === count ? [] : [`${row?.count} of ${count} items are as they should be`];
}

async function checkFrames(
  product: Product,
  { uid }: FaultDataset,
  frames: ReadonlyMap<string, string>,
): Promise<string[]> {
  const rows = await queryRows(
    product.database,
    { key: text, t_ns: nullable(int8), sha256: nullable(text), status: text },
    "select key, t_ns, sha256, status from items where dataset_id = $1",
    [uid],
  );
  const wrong = rows
    .filter(({ t_ns: time, sha256, status }) => status !== "unattempted" || frames.get(String(time)) !== sha256)
    .map(({ key, status }) => `${key} is ${status} or has other bytes`);
  const times = new Set(rows.map(({ t_ns: time }) => String(time)));
  if (rows.length !== frames.size || times.size !== frames.size)
    wrong.push(`${rows.length} items of ${times.size} times, not ${frames.size}`);
  return wrong;
}

async function checkCounts(product: Product, { uid }: FaultDataset, moment: string, frames: number): Promise<string[]> {
  const [row] = await queryRows(
    product.database,
    { item_count: int4, size_bytes: int8, sum: int8, added: int4, present: int4, failed: int4, status: text },
    `select d.item_count, d.size_bytes, (select coalesce(sum(i.size_bytes), 0)::int8 from items i where i.dataset_id = d.uid) as sum,
       m.added, m.present, m.failed, m.status from datasets d join moments m on m.dataset_id = d.uid where d.uid = $1 and m.uid = $2`,
    [uid, moment],
  );
  const expected = { item_count: frames, added: frames, present: 0, failed: 0, status: "done", size_bytes: row?.sum };
  return Object.entries(expected).flatMap(([name, value]) => {
    const found = row?.[name as keyof typeof expected];
    return found === value ? [] : [`${name} is ${found}, not ${value}`];
  });
}

async function checkFiles(product: Product, dataset: FaultDataset): Promise<string[]> {
  const rows = await queryRows(
    product.database,
    { key: text },
    `select unnest(array[storage_key, thumbnail_key]) as key from items where dataset_id = $1 and thumbnail_key is not null`,
    [dataset.uid],
  );
  const [stored, expected] = [new Set(await listFiles(product, dataset)), new Set(rows.map(({ key }) => key))];
  return [
    ...[...expected].filter((key) => !stored.has(key)).map((key) => `${key} is missing`),
    ...[...stored].filter((key) => !expected.has(key)).map((key) => `${key} belongs to no item`),
  ];
}

async function checkDeletion(
  product: Product,
  dataset: FaultDataset,
  left: number,
  rear: readonly string[],
): Promise<string[]> {
  const [row] = await queryRows(
    product.database,
    { item_count: int4, size_bytes: int8, rows: int4, front: int4 },
    `select d.item_count, d.size_bytes, count(i.uid)::int as rows, count(i.uid) filter (where i.key like 'front/%')::int as front
       from datasets d left join items i on i.dataset_id = d.uid where d.uid = $1 group by d.uid`,
    [dataset.uid],
  );
  const expected = { item_count: left, size_bytes: left * 10, rows: left, front: 0 };
  const stored = await listFiles(product, dataset);
  return [
    ...Object.entries(expected).flatMap(([name, value]) => {
      const found = row?.[name as keyof typeof expected];
      return found === value ? [] : [`${name} is ${found}, not ${value}`];
    }),
    ...(stored.join() === [...rear].sort().join() ? [] : [`${stored.length} files are left, not the ${rear.length}`]),
  ];
}
