import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startProduct } from "@/bench/product";
import { makeFleet } from "@/faults/fleet";
import { startLoad } from "@/faults/load";
import { complain, runMuster, startMuster } from "@/faults/muster";
import { startProcess } from "@/faults/processes";
import { quiet } from "@/faults/quiet";
import { startAlertReceiver } from "@/faults/receiver";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { digestInstallation } from "@/faults/state";
import { promise, spread } from "@/faults/verdict";

const moments = 24;
const loadMs = 8_000;
const states = ["old", "new"] as const;
type State = (typeof states)[number];
interface Backup {
  archive: string;
  /** Of an installation that was restored from it. */
  digest: string;
}

/** Two backups of a product under load, the second with twice as much. */
async function makeBackups({ folder, chance }: FaultRun, target: string): Promise<Record<State, Backup>> {
  const receiver = await startAlertReceiver();
  const product = await startProduct();
  const archives: Record<State, string> = { old: path.join(folder, "old.tar"), new: path.join(folder, "new.tar") };
  try {
    const fleet = await makeFleet(product, receiver.url, 3);
    const recordings = await makeRecordings(folder, 8);
    for (const state of states) {
      const load = startLoad(product, fleet, recordings, chance, 300);
      await sleep(loadMs);
      await load.stop();
      await quiet(product, 120);
      const run = await runMuster(["db", "backup", archives[state], "--with-secret"], { DATA_DIR: product.dataDir });
      promise(`the ${state} backup is complete`, complain("db backup", run, { code: 0, texts: [] }));
    }
  } finally {
    await product.stop();
    await receiver.close();
  }
  const backups: Partial<Record<State, Backup>> = {};
  for (const state of states) {
    await restore(target, archives[state]);
    backups[state] = { archive: archives[state], digest: await digestInstallation(target) };
  }
  await restore(target, archives.old);
  return backups as Record<State, Backup>;
}

async function restore(dataDir: string, archive: string): Promise<void> {
  const { code, text } = await runMuster(["db", "restore", "--force", archive], { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`db restore ended with ${code}: ${text}`);
}

/** Kills `db restore --force` at moments spread over its duration; the old or the new state has to be complete. */
export async function proveRestores(run: FaultRun): Promise<void> {
  const { folder, at } = run;
  const [base, place] = [path.join(folder, "installation"), path.join(folder, "killed")];
  fs.mkdirSync(base, { mode: 0o711 });
  const backups = await makeBackups(run, base);
  promise("the two states differ", backups.old.digest === backups.new.digest ? ["they are equal"] : []);
  const renew = () => {
    fs.rmSync(place, { recursive: true, force: true });
    fs.cpSync(base, place, { recursive: true, preserveTimestamps: true });
    keepOwners(base, place);
  };
  renew();
  const began = performance.now();
  await restore(place, backups.new.archive);
  const spanMs = performance.now() - began;
  console.log(`${at()}  a restore takes ${(spanMs / 1_000).toFixed(1)} s`);

  const found: Record<State, number> = { old: 0, new: 0 };
  const incomplete: string[] = [];
  const notStarted: string[] = [];
  const damaged: string[] = [];
  const starts: number[] = [];
  for (let moment = 0; moment < moments; moment++) {
    renew();
    const afterMs = (spanMs * (moment + 0.5)) / moments;
    const { child, ended } = startMuster(["db", "restore", "--force", backups.new.archive], { DATA_DIR: place });
    await Promise.race([sleep(afterMs), ended]);
    child.kill("SIGKILL");
    await ended;
    const label = `killed after ${(afterMs / 1_000).toFixed(2)} s`;
    const digest = await digestInstallation(place).catch(String);
    const state = states.find((each) => backups[each].digest === digest);
    if (state) found[state]++;
    else incomplete.push(`${label}: ${digest.slice(0, 300)}`);
    const starting = performance.now();
    try {
      const muster = await startProcess("all", { DATA_DIR: place }, path.join(folder, "restores.log"));
      starts.push((performance.now() - starting) / 1_000);
      const verified = await runMuster(["files", "verify"], { DATA_DIR: place });
      damaged.push(...complain(`${label}: files verify`, verified, { code: 0, texts: ["0 damaged, 0 missing"] }));
      await muster.end("SIGTERM");
    } catch (error) {
      notStarted.push(`${label}: ${String(error)}`);
    }
  }
  promise(
    `each of ${moments} killed restores left a complete state: ${found.old} the old, ${found.new} the new one`,
    incomplete,
  );
  promise("the moments cover both", found.old > 0 && found.new > 0 ? [] : [JSON.stringify(found)]);
  promise(`Muster started after each: ${spread(starts)}`, notStarted);
  promise("and all of its files were intact", damaged);
  await restore(place, backups.new.archive);
  promise(
    "a restore after the last kill is complete",
    (await digestInstallation(place)) === backups.new.digest ? [] : ["rows or files differ"],
  );
}

/** A copy belongs to root, but the database's server runs as another user. */
function keepOwners(from: string, to: string): void {
  for (const name of ["", ...(fs.readdirSync(from, { recursive: true }) as string[])]) {
    const { uid, gid } = fs.lstatSync(path.join(from, name));
    fs.lchownSync(path.join(to, name), uid, gid);
  }
}
