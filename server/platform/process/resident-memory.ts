import { readFileSync } from "node:fs";

/** The resident memory of a process in MB; 0 where the system does not say. */
export function residentMb(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096) / 1e6;
  } catch {
    return 0;
  }
}
