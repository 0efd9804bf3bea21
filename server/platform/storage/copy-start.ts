import { constants } from "node:fs";
import { chmod, copyFile, open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

const clone = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;

/**
 * Copies the first `bytes` of a file into a new one, fewer when it becomes shorter meanwhile; all of it where the file
 * system clones files. Without clones, `copyFile` is of no use for a file that others write to: of one that becomes
 * shorter it waits for the rest without end, and keeps a thread and a processor busy with it.
 */
export async function copyStart(from: string, to: string, bytes: number, mode: number): Promise<void> {
  const isCloned = await copyFile(from, to, clone).then(
    () => true,
    () => false,
  );
  if (isCloned) return chmod(to, mode); // a clone has the permissions of its source
  const source = await open(from, "r");
  try {
    const content = source.createReadStream({ end: bytes - 1, highWaterMark: 1024 * 1024, autoClose: false });
    const target = await open(to, "wx", mode);
    await pipeline(content, target.createWriteStream()).catch(async (error: unknown) => {
      await rm(to, { force: true });
      throw error;
    });
  } finally {
    await source.close();
  }
}
