// A lock that dies with its holder: a file naming a process, void as soon as that process is gone. Only node: imports.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * When a process began, in whatever unit the system has, so that a recycled pid is not mistaken for the one that held a
 * lock. Empty when the process is gone or the system does not tell.
 * @param {number} pid
 * @returns {string}
 */
export function readStartTime(pid) {
  try {
    if (process.platform === "linux") {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" ? "" : (rest[18] ?? "");
    }
    if (process.platform === "win32") return "";
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

/** @param {{ pid: number, start: string }} holder */
function isRunning(holder) {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error.code !== "EPERM") return false;
  }
  return process.platform === "win32" || readStartTime(holder.pid) === holder.start;
}

/** @param {string} file @returns {{ pid: number, start: string } | "fresh" | undefined} */
function readHolder(file) {
  try {
    const { pid, start } = JSON.parse(fs.readFileSync(file, "utf8"));
    return { pid, start };
  } catch {
    // Another process may be between creating the file and writing its name into it.
    const made = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - made < 2_000 ? "fresh" : undefined;
  }
}

/**
 * Takes the lock `file`, or tells who holds it. A lock whose holder is gone is taken over.
 * @param {string} file
 * @returns {{ held: true, release: () => void } | { held: false, pid: number | undefined }}
 */
export function tryLock(file) {
  const mine = JSON.stringify({ pid: process.pid, start: readStartTime(process.pid) });
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      fs.writeFileSync(file, mine, { flag: "wx", mode: 0o600 });
      const release = () => {
        if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === mine) fs.rmSync(file, { force: true });
      };
      return { held: true, release };
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder === "fresh") return { held: false, pid: undefined };
    if (holder && isRunning(holder)) return { held: false, pid: holder.pid };
    takeAway(file, holder);
  }
  return { held: false, pid: undefined };
}

/**
 * Removes a void lock. Of several processes doing so at once one wins the rename; one that comes late and catches the
 * winner's new lock puts it back.
 * @param {string} file @param {{ pid: number, start: string } | undefined} voided
 */
function takeAway(file, voided) {
  const aside = `${file}.${process.pid}.void`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  const caught = readHolder(aside);
  if (caught && caught !== "fresh" && (caught.pid !== voided?.pid || caught.start !== voided.start)) {
    fs.renameSync(aside, file);
  } else {
    fs.rmSync(aside, { force: true });
  }
}

/**
 * Takes the lock `file`, waiting for as long as somebody else holds it; `onWait` is called once, when a wait begins.
 * @param {string} file @param {(pid: number | undefined) => void} [onWait]
 * @returns {Promise<() => void>} a function that gives the lock back
 */
export async function waitForLock(file, onWait) {
  for (let round = 0; ; round++) {
    const lock = tryLock(file);
    if (lock.held) return lock.release;
    if (round === 5) onWait?.(lock.pid);
    await sleep(100);
  }
}
