import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { CommandError, isTransient, isTransientStatus, type RetryPolicy } from "@/cli/client/api-client";

/** A connection without traffic for this long is closed, and the upload is retried on another. */
const idleTimeoutMs = 120_000;

export interface LocalFile {
  /** On this disk. */
  location: string;
  /** As the recording will name it. */
  path: string;
  size: number;
}

interface PutResponse {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface PutTarget {
  url: string;
  headers: Record<string, string>;
  /** Muster's own links report how far an upload got; presigned links of a bucket do not. */
  resumable: boolean;
}

interface Sending {
  file: LocalFile;
  target: PutTarget;
  /** Requests a new link when one has expired. */
  renew: () => Promise<PutTarget>;
  retryPolicy: RetryPolicy;
  /** How many bytes of the file the server has. */
  progress: (bytes: number) => void;
}

/**
 * Sends a file, resuming after an interruption of this run or an earlier one. Resolves to the entity tag, which was
 * compared with the file's MD5. Throws a CommandError when the file changed meanwhile or the server refuses it.
 */
export async function putFile(sending: Sending): Promise<string> {
  const { file, retryPolicy, renew } = sending;
  let { target } = sending;
  let resume = target.resumable;
  let corrupt = 0;
  let maxStored = 0;
  // Only bytes that the server stored count as progress: bytes handed to the network may be lost.
  const onStored = (bytes: number) => {
    if (bytes > maxStored) retryPolicy.reset();
    maxStored = Math.max(maxStored, bytes);
  };
  for (;;) {
    await requireSize(file);
    const attempt = await tryPut(file, target, resume, sending.progress, onStored);
    if (attempt instanceof CommandError) {
      await retryPolicy.wait(attempt);
      resume = target.resumable;
      continue;
    }
    const { status, headers, body } = attempt;
    const etag = headers.etag;
    if (status === 200 && etag !== undefined) {
      if (attempt.md5 === null || !/^"[0-9a-f]{32}"$/.test(etag) || etag === attempt.md5) return etag;
      if (++corrupt > 2)
        throw new CommandError(`${file.path} was not stored as it is on this disk. Is it being written to?`);
      resume = false;
    } else if (status === 308) {
      await retryPolicy.wait(new CommandError(`${file.path}: the upload ended early.`));
      resume = true;
    } else if (status === 403) {
      target = await renew();
      await retryPolicy.wait(new CommandError(`${file.path}: the link to upload it was refused.`));
    } else if (isTransientStatus(status) || status === 400) {
      await retryPolicy.wait(
        new CommandError(`${file.path}: ${readDetail(body, status)}`),
        Number(headers["retry-after"] ?? 0) || 0,
      );
      resume = target.resumable;
    } else throw new CommandError(`${file.path}: ${readDetail(body, status)}`);
  }
}

function readDetail(body: string, status: number): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null && "detail" in parsed) return String(parsed.detail);
  } catch {
    // Not a response of Muster, such as a proxy's page.
  }
  return `the server answered ${status}.`;
}

async function requireSize(file: LocalFile): Promise<void> {
  const { size } = await stat(file.location);
  if (size !== file.size)
    throw new CommandError(`${file.path} changed its size while it was uploaded. Upload it once it is complete.`);
}

/** One attempt: with `resume` reads how far the upload got, then sends the rest. Resolves to a transient error. */
async function tryPut(
  file: LocalFile,
  target: PutTarget,
  resume: boolean,
  progress: (bytes: number) => void,
  onStored: (bytes: number) => void,
): Promise<(PutResponse & { md5: string | null }) | CommandError> {
  try {
    let start = 0;
    if (resume) {
      const state = await send(target, { "content-range": `bytes */${file.size}` }, null, () => {});
      if (state.status !== 308) return { ...state, md5: state.status === 200 ? await computeMd5(file.location) : null };
      start = Number(/^bytes=0-(\d+)$/.exec(state.headers.range ?? "")?.[1] ?? -1) + 1;
      onStored(start);
    }
    progress(start);
    const hash = createHash("md5");
    await hashFile(hash, file.location, start);
    const headers: Record<string, string> =
      start > 0 ? { "content-range": `bytes ${start}-${file.size - 1}/${file.size}` } : {};
    let sent = start;
    const response = await send(target, headers, { file, start }, (chunk) => {
      hash.update(chunk);
      sent += chunk.length;
      progress(sent);
    });
    return { ...response, md5: sent === file.size ? `"${hash.digest("hex")}"` : null };
  } catch (error) {
    if (isTransient(error) || error instanceof ConnectionIdle)
      return new CommandError(`${file.path}: the connection broke.`);
    throw error;
  }
}

class ConnectionIdle extends Error {}

/** Adds a file's first `end` bytes to a hash. */
async function hashFile(hash: Hash, location: string, end: number): Promise<void> {
  if (end === 0) return;
  for await (const chunk of createReadStream(location, { end: end - 1, highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
}

async function computeMd5(location: string): Promise<string> {
  const hash = createHash("md5");
  const { size } = await stat(location);
  await hashFile(hash, location, size);
  return `"${hash.digest("hex")}"`;
}

/** Sends one PUT. A response counts even before the body was sent, because a server may refuse it early. */
function send(
  target: PutTarget,
  headers: Record<string, string>,
  body: { file: LocalFile; start: number } | null,
  onChunk: (chunk: Buffer) => void,
): Promise<PutResponse> {
  const url = new URL(target.url);
  const length = body ? body.file.size - body.start : 0;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: "PUT",
      headers: { ...target.headers, ...headers, "content-length": length },
    });
    request.setTimeout(idleTimeoutMs, () => request.destroy(new ConnectionIdle()));
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
        request.destroy();
      });
    });
    if (body && length > 0) pump(request, body, onChunk).catch((error: unknown) => request.destroy(error as Error));
    else request.end();
  });
}

/** Reads only as fast as the connection accepts bytes, so that progress is what was handed to the network. */
async function pump(
  request: http.ClientRequest,
  { file, start }: { file: LocalFile; start: number },
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const handle = await open(file.location, "r");
  try {
    const stream = handle.createReadStream({ start, end: file.size - 1, highWaterMark: 256 * 1024, autoClose: false });
    for await (const piece of stream) {
      if (request.destroyed) return;
      const chunk = piece as Buffer;
      onChunk(chunk);
      if (!request.write(chunk)) {
        await new Promise<void>((resolve) => {
          const proceed = () => {
            request.off("drain", proceed).off("close", proceed);
            resolve();
          };
          request.on("drain", proceed).on("close", proceed);
        });
      }
    }
    request.end();
  } finally {
    await handle.close();
  }
}
