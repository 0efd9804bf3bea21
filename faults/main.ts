import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { proveClock } from "@/faults/clock";
import { proveDamaged } from "@/faults/damaged";
import { proveAway, proveCut, proveSuspend } from "@/faults/database";
import { proveDisk } from "@/faults/disk";
import { proveHosts } from "@/faults/hosts";
import { proveItems } from "@/faults/items";
import { proveKills } from "@/faults/kills";
import { proveLabelling } from "@/faults/labelling";
import { provePoison } from "@/faults/poison";
import { createChance } from "@/faults/random";
import { proveRestores } from "@/faults/restores";
import { proveReturning } from "@/faults/returning";
import type { FaultRun } from "@/faults/run";
import { proveSoak } from "@/faults/soak";
import { proveStop } from "@/faults/stop";
import { proveUploads } from "@/faults/uploads";
import { promise, verdict } from "@/faults/verdict";

interface FaultPart {
  /** Part of the short run too. */
  short: boolean;
  /** Takes so long that it runs only when it is named. */
  named?: boolean;
  prove: (run: FaultRun) => Promise<void>;
}

/** What is done to the product, in the order of the run; faults/README.md says what has to hold. */
const parts: Readonly<Record<string, FaultPart>> = {
  kills: { short: true, prove: proveKills },
  stop: { short: true, prove: proveStop },
  suspend: { short: false, prove: proveSuspend },
  away: { short: false, prove: proveAway },
  cut: { short: false, prove: proveCut },
  clock: { short: false, prove: proveClock },
  returning: { short: false, prove: proveReturning },
  disk: { short: false, prove: proveDisk },
  damaged: { short: false, prove: proveDamaged },
  restores: { short: false, prove: proveRestores },
  uploads: { short: false, prove: proveUploads },
  items: { short: false, prove: proveItems },
  labelling: { short: false, prove: proveLabelling },
  poison: { short: false, prove: provePoison },
  hosts: { short: false, prove: proveHosts },
  soak: { short: false, named: true, prove: proveSoak },
};

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    seed: { type: "string" },
    minutes: { type: "string" },
    only: { type: "string" },
    short: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills ?? (values.short ? 2 : 20));
const minutes = Number(values.minutes ?? 60);
const seed = Number(values.seed ?? (values.short ? 1 : Date.now() % 1_000_000));
const chosen =
  values.only?.split(",") ??
  Object.keys(parts).filter((name) => (values.short ? parts[name]?.short : !parts[name]?.named));
if (
  !Number.isInteger(kills) ||
  kills < 0 ||
  !Number.isInteger(seed) ||
  !(minutes > 0) ||
  chosen.some((name) => !(name in parts))
) {
  console.error("Usage: npm run test:faults -- [--kills N] [--seed N] [--minutes N] [--short] [--only PART,PART]");
  console.error(`Parts: ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}

const began = performance.now();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-faults-"));
fs.chmodSync(folder, 0o711); // else the database, run as another user, would have to be put elsewhere
const run: FaultRun = {
  folder,
  kills,
  minutes,
  short: values.short,
  chance: createChance(seed),
  at: () => `${((performance.now() - began) / 1_000).toFixed(1).padStart(6)} s`,
};
console.log(`Seed ${seed}`);
for (const name of chosen) {
  console.log(`\n${name}`);
  try {
    await parts[name]?.prove(run);
  } catch (error) {
    promise(`${name} ran to its end`, [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}
fs.rmSync(folder, { recursive: true, force: true });
const { passed, failed } = verdict();
if (failed > 0) console.log(`\nLogs of the product are ${path.join(os.tmpdir(), "muster-faults*.log")}.`);
console.log(`\nTook ${Math.round((performance.now() - began) / 1_000)} s. ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
