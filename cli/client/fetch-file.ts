import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError, isTransient, isTransientStatus, type RetryPolicy } from "@/cli/client/api-client";

/** A file to be downloaded. */
export interface RemoteFile {
  url: string;
  /** Null for one that is made while it is sent: it cannot be resumed. `sha256` is in hexadecimal. */
  known: { size: number; etag: string | null; sha256?: string | null } | null;
}

/** Who follows a download. */
interface Follower {
  /** Bytes of the file that are there. */
  progress: (bytes: number) => void;
  line: (text: string) => void;
}

const getSize = async (file: string): Promise<number | null> => (await stat(file).catch(() => null))?.size ?? null;

const plainMd5 = (etag: string | null): string | null => /^"?([0-9a-f]{32})"?$/.exec(etag ?? "")?.[1] ?? null;

async function computeHash(algorithm: "md5" | "sha256", file: string): Promise<string> {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Whether a file is there with these bytes already; false where that cannot be known. */
export async function isThere(target: string, { known }: RemoteFile): Promise<boolean> {
  if (known === null || (await getSize(target)) !== known.size) return false;
  if (known.sha256) return (await computeHash("sha256", target)) === known.sha256;
  const md5 = plainMd5(known.etag);
  return md5 !== null && (await computeHash("md5", target)) === md5;
}

/** What is there of a file whose download was interrupted lies beside it, under a name that changes with its content. */
function getPart(target: string, { known }: RemoteFile): string {
  if (known === null) return `${target}.part`;
  const content = createHash("sha256")
    .update(`${known.sha256 ?? known.etag} ${known.size}`)
    .digest("hex")
    .slice(0, 8);
  return `${target}.${content}.part`;
}

/**
 * Downloads a file and resumes where an interrupted download stopped. Transient failures are retried. Throws a
 * CommandError when it cannot be had.
 */
export async function fetchFile(
  file: RemoteFile,
  target: string,
  retryPolicy: RetryPolicy,
  follower: Follower,
): Promise<void> {
  const part = getPart(target, file);
  for (;;) {
    const before = file.known === null ? 0 : ((await getSize(part)) ?? 0);
    const failure = await attempt(file, part, before, follower);
    if (failure === null) break;
    if (file.known !== null && ((await getSize(part)) ?? 0) > before) retryPolicy.reset();
    await retryPolicy.wait(failure.reason, failure.retryAfter);
  }
  const { sha256 } = file.known ?? {};
  if (sha256 && (await computeHash("sha256", part)) !== sha256) {
    await rm(part);
    throw new CommandError(`${target} did not arrive as it was sent: its SHA-256 is another. Download it again.`);
  }
  await rename(part, target);
}

interface Failure {
  reason: CommandError;
  retryAfter: number;
}

/** One request for what is missing; null when the file is complete. Throws when it makes no sense to try again. */
async function attempt(file: RemoteFile, part: string, start: number, follower: Follower): Promise<Failure | null> {
  const { url, known } = file;
  if (known !== null && start === known.size) return null;
  if (known !== null && start > known.size) await rm(part);
  const from = known !== null && start < known.size ? start : 0;
  try {
    const response = await fetch(url, from > 0 ? { headers: { range: `bytes=${from}-` } } : {});
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      const retryAfter = Number(response.headers.get("retry-after") ?? 0) || 0;
      const reason = new CommandError(`Downloading: the server answered ${response.status}.`);
      if (!isTransientStatus(response.status)) throw reason;
      return { reason, retryAfter };
    }
    const damaged = response.headers.get("x-damaged-chunks");
    if (damaged !== null) follower.line(`${damaged} damaged chunks of the recording were left out.`);
    // A server that knows no ranges sends all of it.
    let done = response.status === 206 ? from : 0;
    const counting = new Transform({
      transform: (chunk: Buffer, _, next) => {
        done += chunk.length;
        follower.progress(done);
        next(null, chunk);
      },
    });
    const flags = response.status === 206 ? "a" : "w";
    await pipeline(Readable.from(response.body), counting, createWriteStream(part, { flags }));
    if (known === null || done === known.size) return null;
    return { reason: new CommandError(`Downloading: it ended after ${done} of ${known.size} bytes.`), retryAfter: 0 };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    const reason = new CommandError(`Downloading: ${cause}.`);
    if (!isTransient(error) && !(error instanceof TypeError)) throw reason;
    return { reason, retryAfter: 0 };
  }
}
