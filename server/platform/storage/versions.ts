import { randomBytes } from "node:crypto";
import { mkdir, open, opendir, readdir, rename, rm, rmdir, stat, type FileHandle } from "node:fs/promises";
import path from "node:path";
import { copyStart } from "@/server/platform/storage/copy-start";
import { UploadRefused } from "@/server/platform/storage/partial-uploads";

const folderMode = 0o700;
const fileMode = 0o600;
const maxTries = 10;

/** One file of a key. `writing`: a process has it open; `kept`: of an interrupted upload, not open in any process. */
type Version = { name: string; id: string } & ({ state: "writing" | "kept" } | { state: "complete"; md5: string });

/** The file of one upload. Only the process that created it writes to it. */
export interface Attempt {
  id: string;
  handle: FileHandle;
  /** The former path of the interrupted upload's file that was taken over; null for a new file or a copy. */
  from: string | null;
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

function orNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** Retries `work` when another process renamed or removed a file between listing and using it. */
async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isMissing(error) || tries === maxTries) throw error;
    }
  }
}

const shape = /^(\d{8}-[0-9a-f]{8})(?:\.(kept|[0-9a-f]{32}))?$/;

function parseVersion(name: string): Version | null {
  const [, id, suffix] = shape.exec(name) ?? [];
  if (id === undefined) return null;
  if (suffix === undefined || suffix === "kept") return { name, id, state: suffix ?? "writing" };
  return { name, id, state: "complete", md5: suffix };
}

/** A unique id that sorts after all existing ones. */
function idAfter(newest: Version | undefined): string {
  const sequence = Number(newest?.id.slice(0, 8) ?? 0) + 1;
  return `${String(sequence).padStart(8, "0")}-${randomBytes(4).toString("hex")}`;
}

/** What the name of a key's folder ends in. */
export const versionsSuffix = ".versions";

/** Whether the file of this name in such a folder is an object. */
export const isCompleteVersion = (name: string): boolean => parseVersion(name)?.state === "complete";

const newestComplete = (files: readonly Version[]) => files.findLast((file) => file.state === "complete");

/**
 * The files of one key, in the folder `<key>.versions`: `<id>` while an upload writes it, `<id>.kept` once that was
 * interrupted, `<id>.<md5>` once it is complete. The newest complete one is the object: one rename publishes bytes and
 * tag together, and it is only removed when a newer one exists. Any number of processes may share the folder.
 */
export class Versions {
  private readonly folder: string;

  /** @param target The path of the object in older versions of Muster, beside `.etag` and (unfinished) `.part`. */
  constructor(private readonly target: string) {
    this.folder = `${target}${versionsSuffix}`;
  }

  /** The path of a file of this key by its name. */
  private at(name: string): string {
    return path.join(this.folder, name);
  }

  /** Lists all files, the newest last. */
  private async list(): Promise<Version[]> {
    const names = (await readdir(this.folder).catch(orNull)) ?? [];
    return names
      .sort()
      .map(parseVersion)
      .filter((file) => file !== null);
  }

  private async remove(files: readonly Version[]): Promise<void> {
    await Promise.all(files.map(({ name }) => rm(this.at(name), { force: true })));
  }

  private async removeLegacy(...suffixes: string[]): Promise<void> {
    await Promise.all(suffixes.map((suffix) => rm(`${this.target}${suffix}`, { force: true })));
  }

  /** Calls `work` with the object's file; null when there is none. `md5` is null for a file of the older layout. */
  async object<T>(work: (file: string, md5: string | null) => Promise<T>): Promise<T | null> {
    return withRetries(async () => {
      const newest = newestComplete(await this.list());
      return newest ? work(this.at(newest.name), newest.md5) : work(this.target, null).catch(orNull);
    });
  }

  /** The newest unfinished upload, unless the object is newer. A file of the older layout may still be written to. */
  private async unfinished(files: readonly Version[]): Promise<{ file: string; kept: boolean; size: number } | null> {
    const newest = files.at(-1);
    if (newest?.state === "complete") return null;
    if (newest) {
      const file = this.at(newest.name);
      return { file, kept: newest.state === "kept", size: (await stat(file)).size };
    }
    const file = `${this.target}.part`;
    const found = await stat(file).catch(orNull);
    return found && { file, kept: false, size: found.size };
  }

  /** The number of received bytes from which an upload can be resumed. */
  async receivedBytes(): Promise<number> {
    return withRetries(async () => (await this.unfinished(await this.list()))?.size ?? 0);
  }

  /** Opens a file with the first `start` received bytes for an upload. Throws an UploadRefused of `gap`. */
  async begin(start: number): Promise<Attempt> {
    return withRetries(async () => {
      await mkdir(this.folder, { recursive: true, mode: folderMode });
      const files = await this.list();
      const id = idAfter(files.at(-1));
      const from = start > 0 ? await this.takeOver(files, id, start) : null;
      const handle = await open(this.at(id), start > 0 ? "r+" : "wx+", fileMode);
      try {
        if (start > 0) await cutTo(handle, start);
        await this.removeAbandoned(files);
        return { id, handle, from };
      } catch (error) {
        await handle.close();
        await this.drop(id);
        throw error;
      }
    });
  }

  /** Takes over an interrupted upload's file; copies a file that another process may still write to. */
  private async takeOver(files: readonly Version[], id: string, start: number): Promise<string | null> {
    const source = await this.unfinished(files);
    if (!source || source.size < start) throw new UploadRefused("gap", source?.size ?? 0);
    if (source.kept) {
      await rename(source.file, this.at(id));
      return source.file;
    }
    await copyStart(source.file, this.at(id), start, fileMode);
    return null;
  }

  /** Retains the newest open file, so that another upload does not end a slow one; killed processes leave only one. */
  private async removeAbandoned(files: readonly Version[]): Promise<void> {
    const newestOpen = files.findLast((file) => file.state === "writing");
    await this.remove(files.filter((file) => file.state !== "complete" && file !== newestOpen));
  }

  /** Retains the closed file of an interrupted upload, so that it can be resumed. Resolves to its path. */
  async keep(id: string): Promise<string> {
    await rename(this.at(id), this.at(`${id}.kept`)).catch(orNull);
    return this.at(`${id}.kept`);
  }

  /** Removes the file of an upload that failed. */
  async drop(id: string): Promise<void> {
    await rm(this.at(id), { force: true });
    await rmdir(this.folder).catch(() => {}); // fails when there are other files
  }

  /** Makes a synced file the object. Throws an UploadRefused of `superseded` when a newer object has other bytes. */
  async publish(id: string, md5: string): Promise<void> {
    const renamed = await rename(this.at(id), this.at(`${id}.${md5}`)).then(() => true, orNull);
    const files = await this.list();
    const newest = newestComplete(files);
    if (newest?.md5 !== md5) {
      if (renamed) await rm(this.at(`${id}.${md5}`), { force: true });
      throw new UploadRefused("superseded", 0);
    }
    await Promise.all([this.folder, path.dirname(this.folder)].map(syncFolder));
    await this.remove(files.filter((file) => file.id < newest.id));
    await this.removeLegacy("", ".etag", ".part");
  }

  /** Sets the object's MD5, which may differ from that of its bytes. */
  async rename(md5: string): Promise<void> {
    const object = newestComplete(await this.list());
    if (!object) return;
    await rename(this.at(object.name), this.at(`${object.id}.${md5}`));
    await syncFolder(this.folder);
  }

  /** Removes every unfinished upload, of this process or another: none of them can become the object any more. */
  async discard(): Promise<void> {
    await this.removeLegacy(".part");
    for (;;) {
      const files = await this.list();
      const object = newestComplete(files);
      const others = files.filter((file) => file !== object);
      if (others.length === 0) break;
      await this.remove(others);
    }
    await rmdir(this.folder).catch(() => {}); // fails when there is an object
  }

  /** Removes the object and every upload of it. */
  async delete(): Promise<void> {
    await this.removeLegacy("", ".etag", ".part");
    await removeFolder(this.folder);
  }
}

/**
 * Removes a folder with its contents, including files that uploads create meanwhile. Its entries are read one after the
 * other, because there may be millions.
 */
export async function removeFolder(folder: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: maxTries };
  const entries = await opendir(folder).catch(orNull);
  if (entries) for await (const { name } of entries) await rm(path.join(folder, name), options);
  await rm(folder, options);
}

/** Truncates a file to `size`. A copy may have fewer bytes than its source had before. */
async function cutTo(handle: FileHandle, size: number): Promise<void> {
  const found = (await handle.stat()).size;
  if (found < size) throw new UploadRefused("gap", found);
  if (found > size) await handle.truncate(size);
}

/** Makes renames in the folder durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
