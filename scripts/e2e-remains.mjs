// Cleans up after browser tests: each run has a folder `.test/e2e-<pid of the run>` with its product's data.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readStartTime } from "../server/platform/process/file-lock.mjs";

/** Ends the product that a killed run left running on `folder`; its lock has the process id and the start time. */
async function endProduct(folder) {
  try {
    const { pid, start } = JSON.parse(fs.readFileSync(path.join(folder, "muster.lock"), "utf8"));
    if (readStartTime(pid) !== start) return;
    process.kill(pid, "SIGTERM");
    for (let waited = 0; waited < 30_000 && readStartTime(pid) === start; waited += 100) await sleep(100);
  } catch {
    // Without a lock, nothing runs there.
  }
}

/** Removes the folders of runs that are over. @param {string} testFolder */
export async function clearE2eRemains(testFolder) {
  const names = fs.existsSync(testFolder) ? fs.readdirSync(testFolder) : [];
  for (const name of names.filter((candidate) => /^e2e-\d+$/.test(candidate))) {
    const folder = path.join(testFolder, name);
    if (readStartTime(Number(name.slice(4))) !== "") continue;
    await endProduct(folder);
    fs.rmSync(folder, { recursive: true, force: true });
  }
}
