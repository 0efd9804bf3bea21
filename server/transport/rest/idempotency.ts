import { randomUUID } from "node:crypto";
import { open, seal, sha256 } from "@/server/platform/crypto";
import { conflict, invalid } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { claimKey, readKey, releaseKey, storeResponse } from "@/server/transport/rest/idempotency-queries";

const log = logFor("rest");

export const maxIdempotencyKey = 255;

/** A response as it is repeated. */
export interface Reply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** Identifies a request among all others with an `Idempotency-Key`. */
export interface Repeatable {
  key: string;
  /** The key's user and organization, the device, or for anonymous callers the address. */
  caller: string;
  operation: string;
  /** The path with its query. */
  path: string;
  document: unknown;
}

/** Throws 400 for a header without 1 to 255 characters. Null without one. */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || (key.length >= 1 && key.length <= maxIdempotencyKey)) return key;
  throw invalid([], `Idempotency-Key must have 1 to ${maxIdempotencyKey} characters.`);
}

const notKept = new Set([401, 408, 429]);
const isKept = (status: number): boolean => status >= 200 && status < 500 && !notKept.has(status);

/**
 * Runs a create, or returns the response that the same request got before. Throws 400 when the key was used with
 * another body, and 409 while that request runs. A failure with status 500 or above frees the key.
 */
export async function performOnce(
  request: Repeatable,
  perform: () => Promise<Reply>,
  toRefusal: (error: unknown) => Reply | null,
): Promise<Reply> {
  const { caller, operation, path, document } = request;
  const key = sha256(JSON.stringify([caller, operation, path, request.key]));
  const bodyHash = sha256(JSON.stringify(document ?? null));
  const attempt = randomUUID();
  if (!(await claimKey(key, bodyHash, attempt))) return replay(key, bodyHash);
  try {
    const reply = await perform();
    await keep(key, attempt, reply);
    return reply;
  } catch (error) {
    await keep(key, attempt, toRefusal(error) ?? { status: 500, body: null });
    throw error;
  }
}

async function replay(key: string, bodyHash: string): Promise<Reply> {
  const taken = await readKey(key);
  if (taken && taken.body_hash !== bodyHash) {
    throw invalid([], "This Idempotency-Key was used with another body.");
  }
  if (!taken || taken.status === null || taken.sealed === null) {
    throw conflict("A request with this Idempotency-Key is still running.");
  }
  const body: unknown = JSON.parse(open(taken.sealed, sealOwner(key)));
  return { status: taken.status, body, headers: { "idempotent-replayed": "true" } };
}

const sealOwner = (key: string): string => `idempotency:${key}`;

/** Stores a response for its repetition. The request has been performed: it does not fail when that is impossible. */
async function keep(key: string, attempt: string, { status, body }: Reply): Promise<void> {
  try {
    if (isKept(status)) await storeResponse(key, attempt, status, seal(JSON.stringify(body ?? null), sealOwner(key)));
    else await releaseKey(key, attempt);
  } catch (error) {
    log.warn({ err: error }, "the response to a request with an Idempotency-Key could not be stored");
  }
}
