import fs, { openAsBlob } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFile } from "@/bench/made-file";
import { readMemory } from "@/bench/processing";
import type { Product } from "@/bench/product";
import { report } from "@/bench/report";
import type { LocalFile } from "@/cli/client/put-file";
import type { SignedUrls } from "@/server/features/uploads/resource";
import { float8, queryRows, text } from "@/server/platform/rows";

const smallOnes = 100;
const largeMegabytes = 1_000;
const alone = 12;

/** A recording whose files are uploaded and confirmed. */
interface Uploaded {
  uid: string;
  finalize: () => Promise<unknown>;
}

async function send(product: Product, device: string, file: LocalFile): Promise<Uploaded> {
  const { uid } = await product.call<{ uid: string }>("POST", "/fleet/recordings/", { device_id: device });
  const at = `/fleet/recordings/${uid}/upload`;
  const entry = { path: file.path, size_bytes: file.size };
  const session = await product.call<{ uid: string }>("POST", `${at}/init/`, { files: [entry] });
  const { urls } = await product.call<SignedUrls>("POST", `${at}/urls/`, {
    session_uid: session.uid,
    file_paths: [file.path],
  });
  const { put_url: url, headers } = urls[0]!;
  const response = await fetch(url, { method: "PUT", headers, body: await openAsBlob(file.location) });
  if (!response.ok) throw new Error(`the upload was refused: ${response.status} ${await response.text()}`);
  const etag = response.headers.get("etag") ?? "";
  await product.call("POST", `${at}/confirm/`, { session_uid: session.uid, files: [{ ...entry, etag }] });
  return { uid, finalize: () => product.call("POST", `${at}/finalize/`, { session_uid: session.uid }) };
}

/** Seconds from the change of a recording to `processing` until it was ready, by the times in the database. */
async function untilReady(product: Product, uids: readonly string[]): Promise<Map<string, number>> {
  for (;;) {
    const rows = await queryRows(
      product.database,
      { uid: text, status: text, seconds: float8 },
      `select uid, status, extract(epoch from coalesce(processed_at, now()) - active_at)::float8 as seconds
       from recordings where uid = any($1)`,
      [uids],
    );
    const failed = rows.find(({ status }) => status !== "processing" && status !== "ready");
    if (failed) throw new Error(`${failed.uid} is ${failed.status}`);
    if (rows.every(({ status }) => status === "ready")) return new Map(rows.map(({ uid, seconds }) => [uid, seconds]));
    await sleep(50);
  }
}

/** A fleet that docks at the end of a shift: small recordings that arrive together with a large one. */
export async function benchTogether(product: Product): Promise<void> {
  const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "docked" });
  const { file: small } = await makeFile(product, 1);
  const { file: large } = await makeFile(product, largeMegabytes);
  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker");

  const single: number[] = [];
  for (let n = 0; n < alone; n++) {
    const { uid, finalize } = await send(product, device, small);
    await finalize();
    single.push((await untilReady(product, [uid])).get(uid)!);
  }
  const median = single.toSorted((a, b) => a - b)[alone / 2]!;

  const big = await send(product, device, large);
  const others: Uploaded[] = [];
  for (let n = 0; n < smallOnes; n++) others.push(await send(product, device, small));
  await big.finalize();
  await Promise.all(others.map(({ finalize }) => finalize()));
  const seconds = await untilReady(product, [big.uid, ...others.map(({ uid }) => uid)]);
  const last = Math.max(...others.map(({ uid }) => seconds.get(uid)!));
  const largeSeconds = seconds.get(big.uid)!;
  report({
    name: `The last of ${smallOnes} recordings of 1 MB beside the one of ${largeMegabytes} MB that came with them`,
    measured: last,
    anchor: largeSeconds,
    unit: "s to ready",
    ratio: largeSeconds / last,
    atLeast: 1,
    note: `one of 1 MB alone takes ${(median * 1_000).toFixed(0)} ms; at most ${Math.round(readMemory(worker, "VmHWM"))} MB of memory`,
  });
  for (const { uid } of [big, ...others]) await product.call("DELETE", `/fleet/recordings/${uid}/`);
  for (const { location } of [small, large]) fs.rmSync(location);
}
