// A lock that ends with its holder: a file that names a process and is stale once that process has ended. Only node:
// imports.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The start time of a process, which distinguishes it from a later one with its pid. Empty when it has ended.
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
    // Another process may have created the file and not written to it yet.
    const createdAt = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - createdAt < 2_000 ? "fresh" : undefined;
  }
}

/**
 * Takes the lock `file`, or returns the pid of its holder. A stale lock is taken over.
 * @param {string} file
 * @returns {{ held: true, release: () => void } | { held: false, pid: number | undefined }}
 */
export function tryLock(file) {
  const ownContent = JSON.stringify({ pid: process.pid, start: readStartTime(process.pid) });
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      fs.writeFileSync(file, ownContent, { flag: "wx", mode: 0o600 });
      const release = () => {
        if (fs.existsSync(file) && fs.readFileSync(file, "utf8") === ownContent) fs.rmSync(file, { force: true });
      };
      return { held: true, release };
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = readHolder(file);
    if (holder === "fresh") return { held: false, pid: undefined };
    if (holder && isRunning(holder)) return { held: false, pid: holder.pid };
    removeStaleLock(file, holder);
  }
  return { held: false, pid: undefined };
}

/**
 * Removes a stale lock. A process that renamed a new lock instead, of another process, renames it back.
 * @param {string} file @param {{ pid: number, start: string } | undefined} stale
 */
function removeStaleLock(file, stale) {
  const aside = `${file}.${process.pid}.void`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (error.code === "ENOENT") return;
    throw error;
  }
  const renamed = readHolder(aside);
  if (renamed && renamed !== "fresh" && (renamed.pid !== stale?.pid || renamed.start !== stale.start)) {
    fs.renameSync(aside, file);
  } else {
    fs.rmSync(aside, { force: true });
  }
}

/**
 * Takes the lock `file`, waiting while another process holds it; `onWait` is called once, after about half a second.
 * @param {string} file @param {(pid: number | undefined) => void} [onWait]
 * @returns {Promise<() => void>} a function that releases the lock
 */
export async function waitForLock(file, onWait) {
  for (let round = 0; ; round++) {
    const lock = tryLock(file);
    if (lock.held) return lock.release;
    if (round === 5) onWait?.(lock.pid);
    await sleep(100);
  }
}
