import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { CommandError, isTransient, isTransientStatus, type RetryPolicy } from "@/cli/api-client";

/** Nothing moved on a connection for this long: it is given up, and another takes its place. */
const silenceMs = 120_000;

export interface LocalFile {
  /** On this disk. */
  location: string;
  /** As the recording will name it. */
  path: string;
  size: number;
}

interface PutAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface PutTarget {
  url: string;
  headers: Record<string, string>;
  /** Our own server's links can be asked how far an upload got; presigned links of a bucket cannot. */
  resumable: boolean;
}

interface Sending {
  file: LocalFile;
  target: PutTarget;
  /** Asks for a new link when one has run out. */
  renew: () => Promise<PutTarget>;
  retryPolicy: RetryPolicy;
  /** How many bytes of the file the server has. */
  progress: (bytes: number) => void;
}

/**
 * Sends a file's bytes, going on mid-file after an interruption of this run or an earlier one. Resolves to the entity
 * tag, which was held against the file's own MD5. Throws a CommandError when the file changed meanwhile or the server
 * refuses it.
 */
export async function putFile(sending: Sending): Promise<string> {
  const { file, retryPolicy, renew } = sending;
  let { target } = sending;
  let resume = target.resumable;
  let corrupt = 0;
  let best = 0;
  // Only what the server kept counts as progress: bytes handed to the network may go nowhere.
  const kept = (bytes: number) => {
    if (bytes > best) retryPolicy.restore();
    best = Math.max(best, bytes);
  };
  for (;;) {
    await requireSize(file);
    const attempt = await tryPut(file, target, resume, sending.progress, kept);
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
    // Not ours: a proxy's page.
  }
  return `the server answered ${status}.`;
}

async function requireSize(file: LocalFile): Promise<void> {
  const { size } = await stat(file.location);
  if (size !== file.size)
    throw new CommandError(`${file.path} changed its size while it was uploaded. Upload it once it is complete.`);
}

/**
 * One go: asks how far the upload got, where that makes sense, and sends the rest. A CommandError is worth another try.
 */
async function tryPut(
  file: LocalFile,
  target: PutTarget,
  resume: boolean,
  progress: (bytes: number) => void,
  kept: (bytes: number) => void,
): Promise<(PutAnswer & { md5: string | null }) | CommandError> {
  try {
    let start = 0;
    if (resume) {
      const state = await send(target, { "content-range": `bytes */${file.size}` }, null, () => {});
      if (state.status !== 308) return { ...state, md5: state.status === 200 ? await md5Of(file.location) : null };
      start = Number(/^bytes=0-(\d+)$/.exec(state.headers.range ?? "")?.[1] ?? -1) + 1;
      kept(start);
    }
    progress(start);
    const hash = createHash("md5");
    await feed(hash, file.location, start);
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
    if (isTransient(error) || error instanceof ConnectionSilent)
      return new CommandError(`${file.path}: the connection broke.`);
    throw error;
  }
}

class ConnectionSilent extends Error {}

/** Adds a file's first `end` bytes to a hash. */
async function feed(hash: Hash, location: string, end: number): Promise<void> {
  if (end === 0) return;
  for await (const chunk of createReadStream(location, { end: end - 1, highWaterMark: 1024 * 1024 }))
    hash.update(chunk as Buffer);
}

async function md5Of(location: string): Promise<string> {
  const hash = createHash("md5");
  const { size } = await stat(location);
  await feed(hash, location, size);
  return `"${hash.digest("hex")}"`;
}

/** One PUT. The answer counts even when it comes before the body was sent, which is how a server refuses one. */
function send(
  target: PutTarget,
  headers: Record<string, string>,
  body: { file: LocalFile; start: number } | null,
  onChunk: (chunk: Buffer) => void,
): Promise<PutAnswer> {
  const url = new URL(target.url);
  const length = body ? body.file.size - body.start : 0;
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: "PUT",
      headers: { ...target.headers, ...headers, "content-length": length },
    });
    request.setTimeout(silenceMs, () => request.destroy(new ConnectionSilent()));
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

/** Reads no faster than the connection takes, so progress is what was handed to the network. */
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
          const go = () => {
            request.off("drain", go).off("close", go);
            resolve();
          };
          request.on("drain", go).on("close", go);
        });
      }
    }
    request.end();
  } finally {
    await handle.close();
  }
}
