import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { LocalFile } from "@/cli/put-file";

/** Which recording an interrupted upload belongs to. */
export interface UploadState {
  recording: string;
  session: string;
}

/** Records, below `folder`, an unfinished upload of exactly these files to a server and device. */
export class StateFile {
  private readonly file: string;

  constructor(origin: string, device: string | undefined, files: readonly LocalFile[], folder = defaultFolder()) {
    const identity = [origin, device ?? "", ...files.map((file) => [file.location, file.path, file.size])];
    const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
    this.file = path.join(folder, `${name}.json`);
  }

  async read(): Promise<UploadState | null> {
    try {
      const state: unknown = JSON.parse(await readFile(this.file, "utf8"));
      return isState(state) ? state : null;
    } catch {
      return null;
    }
  }

  /** Returns false if it could not be written: then an interrupted upload starts from the beginning. */
  async write(state: UploadState): Promise<boolean> {
    try {
      await mkdir(path.dirname(this.file), { recursive: true, mode: 0o700 });
      await writeFile(`${this.file}.${process.pid}`, JSON.stringify(state), { mode: 0o600 });
      await rename(`${this.file}.${process.pid}`, this.file);
      return true;
    } catch {
      return false;
    }
  }

  async remove(): Promise<void> {
    await rm(this.file, { force: true }).catch(() => {});
  }
}

const defaultFolder = (): string => path.join(os.homedir(), ".local", "state", "muster", "uploads");

const isState = (value: unknown): value is UploadState =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as UploadState).recording === "string" &&
  typeof (value as UploadState).session === "string";
