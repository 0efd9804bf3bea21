import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProduct, type Product } from "@/bench/product";
import { countStatuses, describeExchange, recordExchanges, type Exchange } from "@/faults/exchanges";
import { makeFleet } from "@/faults/fleet";
import { complain, runMuster } from "@/faults/muster";
import { startAlertReceiver } from "@/faults/receiver";
import type { FaultRun } from "@/faults/run";
import { sendBytes } from "@/faults/sender";
import { signIn } from "@/faults/sign-in";
import { promise, verdict } from "@/faults/verdict";
import { startVisitors, verifyVisitors } from "@/faults/visitors";

const volumeMegabytes = 700;
/** By default, the reserve of a disk of this size. */
const reserve = volumeMegabytes * 1024 * 1024 * 0.05;
const uploadBytes = 20_000_000;
const smallBytes = 500_000;
const lowMs = 15_000;
const fullMs = 25_000;
const backSeconds = 30;
/** What is freed at the end: uploads stay, and the database grows into the reserve. */
const spareBytes = 100_000_000;

const readFree = (volume: string): number => {
  const { bavail, bsize } = fs.statfsSync(volume);
  return bavail * bsize;
};

/** Writes a file of a size, or until the volume is full. */
function fill(place: string, bytes: number): void {
  const chunk = Buffer.alloc(64 * 1024, 1);
  const file = fs.openSync(place, "w");
  try {
    for (let written = 0; written < bytes;)
      written += fs.writeSync(file, chunk, 0, Math.min(chunk.length, bytes - written));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  } finally {
    fs.closeSync(file);
  }
}

/** Also redirected, or refused by the limit of exports. */
const isServed = ({ status }: Exchange): boolean => (status >= 200 && status < 400) || status === 429;

interface Ready {
  status: number;
  body: { checks?: Record<string, string>; disk?: string };
}

async function readReady({ url }: Product): Promise<Ready> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, body: (await response.json()) as Ready["body"] };
}

/** A full disk may stop the database beside the files; what cannot be written there makes no process unready. */
const saysFull = ({ status, body }: Ready): boolean =>
  body.disk === "full" && (status === 200 || body.checks?.database === "failed");

/** Fills the disk of files and database: down to the reserve by uploads, below it, then completely; then frees it. */
export async function proveDisk(run: FaultRun): Promise<void> {
  const volume = path.join(run.folder, "volume");
  fs.mkdirSync(volume);
  const options = `size=${volumeMegabytes}m,mode=0755`;
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", volume], { encoding: "utf8" });
  if (mounted.status !== 0)
    return promise("a volume could be mounted", [`this part was not run, it needs root: ${mounted.stderr}`]);
  try {
    await fillAndFree(run, volume);
  } finally {
    // Lazily, because the log of the product is still open here.
    spawnSync("umount", ["--lazy", volume]);
  }
}

async function fillAndFree({ chance, at }: FaultRun, volume: string): Promise<void> {
  const receiver = await startAlertReceiver();
  const product = await startProduct({}, volume);
  const recorded = recordExchanges(product.url);
  const failedBefore = verdict().failed;
  const log = path.join(os.tmpdir(), "muster-faults-disk.log");
  try {
    const fleet = await makeFleet(product, receiver.url, 2);
    const device = fleet.devices[0]!.uid;
    fill(path.join(volume, "filler-spare"), spareBytes);
    const visitors = startVisitors(product, fleet, await signIn(product), chance);
    const before = product.pids();
    const content = randomBytes(uploadBytes);
    const since = (moment: number) => recorded.list.filter(({ began }) => began >= moment);
    const isUpload = ({ path: where }: Exchange) => where.startsWith("/files/");
    const others = (moment: number) => since(moment).filter((each) => !isUpload(each));

    let uploads = 0;
    const sendUntilRefused = async (bytes: Buffer): Promise<string[]> => {
      for (let n = 0; n < 200; n++) {
        const { status, retryAfter } = await sendBytes(product, device, bytes);
        if (status === 200) uploads++;
        else return status === 503 && retryAfter !== null ? [] : [`${status}, Retry-After ${retryAfter}`];
      }
      return ["no upload was refused"];
    };
    const filling = performance.now();
    const refused = [
      ...(await sendUntilRefused(content)),
      ...(await sendUntilRefused(content.subarray(0, smallBytes))),
    ];
    const left = readFree(volume);
    promise(`after ${uploads} uploads the next one is 503 with Retry-After`, refused);
    promise(
      `uploads left ${(left / 1e6).toFixed(0)} MB of ${(reserve / 1e6).toFixed(0)} MB in reserve`,
      // The database may have written into it meanwhile.
      left >= reserve / 2 ? [] : [`only ${left} bytes are free`],
    );

    console.log(`${at()}  below the reserve`);
    fill(path.join(volume, "filler-1"), Math.max(0, left - reserve * 0.8));
    await sleep(lowMs);
    const low = await readReady(product);
    promise(
      "below the reserve /readyz is 200 and warns",
      low.status === 200 && low.body.disk === "low" ? [] : [JSON.stringify(low)],
    );
    const small = await sendBytes(product, device, content.subarray(0, smallBytes));
    promise("and uploads are 503", small.status === 503 && small.retryAfter !== null ? [] : [JSON.stringify(small)]);
    promise(
      `and everything else works: ${countStatuses(others(filling))}`,
      others(filling)
        .filter((exchange) => exchange.ended && !isServed(exchange))
        .map(describeExchange),
    );

    console.log(`${at()}  full`);
    const full = performance.now();
    for (const end = full + fullMs; performance.now() < end; await sleep(500))
      fill(path.join(volume, `filler-full-${Math.round(performance.now())}`), Infinity);
    const none = await readReady(product);
    promise(
      "on a full disk /readyz says so, and fails for nothing but the database on that disk",
      saysFull(none) ? [] : [JSON.stringify(none)],
    );

    for (const name of fs.readdirSync(volume).filter((each) => each.startsWith("filler-")))
      fs.rmSync(path.join(volume, name));
    const freed = performance.now();
    console.log(`${at()}  freed`);
    const ready = await untilServed(product, device, content.subarray(0, smallBytes));
    promise(
      `freed, it is ready and uploads work after ${((ready - freed) / 1_000).toFixed(1)} s`,
      ready - freed <= backSeconds * 1_000 ? [] : [`that is more than ${backSeconds} s`],
    );
    await sleep(5_000);
    await visitors.stop();
    const during = since(full).filter(({ began }) => began < ready);
    promise(
      `from full to ready, every other response is a success or 503 with Retry-After: ${countStatuses(during)}`,
      during
        .filter((each) => !isServed(each) && !(each.status === 503 && (each.retryAfter || each.path === "/readyz")))
        .map(describeExchange),
    );
    const longest = during.reduce((most, { seconds }) => Math.max(most, seconds), 0);
    promise(
      `none took longer than 12 s, the longest ${longest.toFixed(1)} s`,
      during.filter(({ seconds }) => seconds > 12).map(describeExchange),
    );
    const after = since(ready + 1_000);
    promise(
      `afterwards everything works: ${countStatuses(after)}`,
      after.filter((exchange) => exchange.ended && !isServed(exchange)).map(describeExchange),
    );
    const now = product.pids();
    promise(
      "neither web nor worker ended",
      (["web", "worker"] as const).filter((part) => before[part] !== now[part]).map((part) => `${part} was replaced`),
    );
    await verifyVisitors(product, visitors);
    const verified = await runMuster(["files", "verify"], { DATA_DIR: product.dataDir });
    promise(
      "every confirmed file is intact",
      complain("files verify", verified, { code: 0, texts: ["0 damaged, 0 missing"] }),
    );
  } finally {
    if (verdict().failed > failedBefore) fs.copyFileSync(product.log, log);
    recorded.stop();
    await product.stop();
    await receiver.close();
  }
}

/** Waits until `/readyz` is 200 and an upload succeeds, at most two minutes. Resolves to that moment. */
async function untilServed(product: Product, device: string, bytes: Buffer): Promise<number> {
  for (const end = performance.now() + 120_000; performance.now() < end; await sleep(200)) {
    const ready = await readReady(product).catch(() => undefined);
    const sent = ready?.status === 200 ? await sendBytes(product, device, bytes).catch(() => undefined) : undefined;
    if (sent?.status === 200) return performance.now();
  }
  return Infinity;
}
