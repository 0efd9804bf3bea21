import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { z } from "zod";

/** Records, below `folder`, an unfinished upload; the same command finds it by what identifies it. */
export class StateFile<State> {
  private readonly file: string;

  constructor(
    private readonly schema: z.ZodType<State>,
    identity: readonly unknown[],
    folder = defaultFolder(),
  ) {
    const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
    this.file = path.join(folder, `${name}.json`);
  }

  async read(): Promise<State | null> {
    try {
      return this.schema.parse(JSON.parse(await readFile(this.file, "utf8")));
    } catch {
      return null;
    }
  }

  /** Returns false if it could not be written: then an interrupted upload starts from the beginning. */
  async write(state: State): Promise<boolean> {
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
