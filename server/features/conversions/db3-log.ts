import fs from "node:fs/promises";
import { NotConvertible, type Conversion, type ConversionOptions } from "@/engine/formats/conversion";
import { examineLog } from "@/server/features/conversions/write-ahead-log";

/** A db3 file on this machine and, at its path with `-wal` behind it, the log that was uploaded beside it. */
export interface Db3WithLog {
  path: string;
  /** The uploader's names for both. */
  name: string;
  logName: string;
  /** Whether there is a log. */
  hasLog: boolean;
  /** How many messages its recorder says it has; null when that is not known. */
  describedCount: number | null;
}

/** A conversion, and where the file lies that it wrote. */
export interface Written {
  conversion: Conversion;
  location: string;
  bytes: number;
}

type Steps = Pick<ConversionOptions, "isDue" | "pause">;

/**
 * Converts a db3 file with what its recorder left in a write-ahead log. A log that SQLite cannot use, or with which less
 * can be read than without, is left aside with a warning. `write` converts the file as it lies there, each attempt to a place of its own.
 */
export async function convertWithLog(
  file: Db3WithLog,
  steps: Steps,
  write: (attempt: 1 | 2) => Promise<Written>,
): Promise<Written> {
  const { path, name, logName, hasLog, describedCount } = file;
  if (!hasLog) {
    const wasLogged = await leaveLogOut(path);
    const written = await write(1);
    const isWhole = describedCount !== null && written.conversion.messageCount >= describedCount;
    if (!wasLogged || isWhole) return written;
    return withWarning(
      written,
      `${name} was recorded with a log, ${logName}, which was not uploaded: the end of the recording may be missing.`,
    );
  }
  const state = await examineLog(`${path}-wal`, path, steps);
  if (state === "damaged" || state === "foreign") {
    const reason = state === "damaged" ? "is damaged" : `belongs to another file than ${name}`;
    await leaveLogOut(path);
    return withWarning(await write(1), `${logName} ${reason} and was not read: the end of ${name} may be missing.`);
  }
  const first = await write(1).catch(notConvertible);
  if (!(first instanceof NotConvertible) && !first.conversion.truncated) {
    if (state !== "cut") return first;
    return withWarning(first, `${logName} is damaged or cut off: it was read as far as it goes.`);
  }
  // The pages of another file's log fit by their sums; what they describe does not fit together.
  await leaveLogOut(path);
  const second = await write(2).catch(notConvertible);
  if (!(second instanceof NotConvertible) && isBetter(second, first)) {
    return withWarning(second, `${logName} does not fit ${name} and was not read: its end may be missing.`);
  }
  if (first instanceof NotConvertible) throw first;
  return first;
}

const notConvertible = (error: unknown): NotConvertible => {
  if (error instanceof NotConvertible) return error;
  throw error;
};

function isBetter({ conversion }: Written, than: Written | NotConvertible): boolean {
  if (than instanceof NotConvertible) return true;
  const more = conversion.messageCount - than.conversion.messageCount;
  return more > 0 || (more === 0 && !conversion.truncated);
}

const withWarning = ({ conversion, ...rest }: Written, warning: string): Written => ({
  ...rest,
  conversion: { ...conversion, warnings: [...conversion.warnings, warning] },
});

/** Makes SQLite read the file alone; whether it was recorded with a log. */
async function leaveLogOut(path: string): Promise<boolean> {
  await fs.rm(`${path}-wal`, { force: true });
  const handle = await fs.open(path, "r+");
  try {
    // Both versions of the format are 2 with a write-ahead log, without which SQLite would not open the file.
    const versions = Buffer.alloc(2);
    await handle.read(versions, 0, 2, 18);
    const wasLogged = versions.equals(Buffer.from([2, 2]));
    if (wasLogged) await handle.write(Buffer.from([1, 1]), 0, 2, 18);
    return wasLogged;
  } finally {
    await handle.close();
  }
}
