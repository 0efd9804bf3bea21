import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** A clock of its own for processes that have `environment`; it can be moved while they run. */
export interface FakeTime {
  environment: Record<string, string>;
  /** Moves it ahead of this machine's clock. */
  setAhead: (seconds: number) => void;
}

const libraries = "/usr/lib";

/** Debian keeps libfaketime in the folder of the architecture. */
const findLibrary = (): string | undefined =>
  fs
    .readdirSync(libraries)
    .map((folder) => path.join(libraries, folder, "faketime", "libfaketime.so.1"))
    .find((file) => fs.existsSync(file));

/** The library's file, installed from Debian when it is missing. Throws when that cannot be done. */
export function installFakeTime(): string {
  const installed = findLibrary();
  if (installed) return installed;
  console.log("       installing libfaketime by apt-get");
  const root = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "libfaketime"]]) {
    const [program = "", ...rest] = [...root, "apt-get", "-qq", ...args];
    spawnSync(program, rest, { stdio: ["ignore", "ignore", "inherit"], env });
  }
  const library = findLibrary();
  if (!library) throw new Error("libfaketime could not be installed; install Debian's package libfaketime");
  return library;
}

/** Makes a clock, right at first, whose state is in `file`. The monotonic clock stays the machine's, as it would be. */
export function makeFakeTime(library: string, file: string): FakeTime {
  const setAhead = (seconds: number) => {
    fs.writeFileSync(`${file}.new`, `+${seconds}\n`);
    fs.renameSync(`${file}.new`, file);
  };
  setAhead(0);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    NO_FAKE_STAT: "1",
  };
  return { environment, setAhead };
}
