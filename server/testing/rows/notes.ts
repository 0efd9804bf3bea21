import fs from "node:fs";
import path from "node:path";
import { testFolder } from "@/server/testing/database";

/** Where the workers of a run note the statements they compared, one file each. */
const notesFolder = (run: string): string => path.join(testFolder, "data", run, "rows");

/** Notes each place and each fault once, as lines of the place and, after a tab, the fault. */
export function noteStatements(run: string, worker: string): (site: string, faults: readonly string[]) => void {
  fs.mkdirSync(notesFolder(run), { recursive: true });
  const file = path.join(notesFolder(run), worker);
  const noted = new Set<string>();
  return (site, faults) => {
    for (const line of faults.length > 0 ? faults.map((fault) => `${site}\t${fault}`) : [site]) {
      if (!noted.has(line)) fs.appendFileSync(file, `${line}\n`);
      noted.add(line);
    }
  };
}

/** Reads what the workers of a run noted, and deletes it. */
export function collectNotes(run: string): { compared: Set<string>; faults: string[] } {
  const folder = notesFolder(run);
  const lines = fs.existsSync(folder)
    ? fs.readdirSync(folder).flatMap((worker) => fs.readFileSync(path.join(folder, worker), "utf8").trim().split("\n"))
    : [];
  fs.rmSync(folder, { recursive: true, force: true });
  return {
    compared: new Set(lines.filter((line) => !line.includes("\t"))),
    faults: [...new Set(lines.filter((line) => line.includes("\t")).map((line) => line.replace("\t", ": ")))],
  };
}

/**
 * Adds what a run compared of its complete kinds to a folder of several runs, and returns what is there of all. Writes
 * before it reads, so that the last of runs that end together sees all of them.
 */
export function joinNotes(folder: string, kinds: readonly string[], compared: ReadonlySet<string>) {
  fs.mkdirSync(folder, { recursive: true });
  for (const kind of kinds) {
    const file = path.join(folder, kind);
    fs.writeFileSync(`${file}.part`, [...compared].join("\n"));
    fs.renameSync(`${file}.part`, file);
  }
  const complete = fs
    .readdirSync(folder)
    .filter((name) => !name.endsWith(".part"))
    .sort();
  const lines = complete.flatMap((kind) => fs.readFileSync(path.join(folder, kind), "utf8").split("\n"));
  return { kinds: complete, compared: new Set(lines) };
}
