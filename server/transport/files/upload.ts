import { errorTable, isServiceError, ServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { currentScope } from "@/server/platform/request-scope";
import { noSpace } from "@/server/platform/storage/disk-space";
import { readUploadLink, type ReadUploadLink } from "@/server/platform/storage/links";
import { ownStore } from "@/server/platform/storage/own";
import type { Part } from "@/server/platform/storage/own-store";
import { UploadInterrupted, UploadRefused } from "@/server/platform/storage/partial-uploads";
import { findOutage } from "@/server/platform/unavailable";
import {
  readAdmission,
  noteActivity,
  publishAdmitted,
  type Admission,
} from "@/server/transport/files/admission-queries";
import { parseContentRange, type ContentRange } from "@/server/transport/files/ranges";
import { response, refuse } from "@/server/transport/files/responses";

const log = logFor("files");

/** Refuses before the body was read, after which the connection cannot be reused. */
const refuseUnread = (status: number, detail: string, headers: Record<string, string> = {}) =>
  refuse(status, detail, { connection: "close", ...headers });

const nothing = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.close() });

/**
 * PUT of an object's bytes by a signed link: all of them, the rest of an interrupted upload (`Content-Range: bytes
 * a-b/N`), or none to read how many were received (`bytes *` and the size). 200 with the entity tag once all bytes were
 * received, otherwise 308 with a `Range` of the received ones.
 */
export async function upload(request: Request): Promise<Response> {
  const arrivedAt = performance.now();
  const link = readUploadLink(new URL(request.url));
  if (link === "invalid") return refuseUnread(403, "The upload link is not valid.");
  if (link === "expired") return refuseUnread(403, "The upload link has expired. Ask for a new one.");
  const scope = currentScope();
  if (scope) scope.caller = { kind: "link", id: link.account, organizationId: null };
  const { headers } = request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    return refuseUnread(415, "Unsupported content encoding in request.");
  }
  const header = headers.get("content-range");
  const range: ContentRange | null =
    header === null
      ? { kind: "part", start: 0, end: link.sizeBytes, total: link.sizeBytes }
      : parseContentRange(header);
  if (!range || range.total !== link.sizeBytes) {
    return refuseUnread(400, `Content-Range must name bytes of ${link.sizeBytes}, the size declared for this file.`);
  }

  const admission = await readAdmission(link.key);
  if (admission === "deleted") return refuseUnread(404, "Not found.");
  if (range.kind === "probe") return progress(link, arrivedAt);
  if (admission === "confirmed") return refuseUnread(409, "This file is confirmed and cannot change any more.");

  const declared = headers.get("content-length");
  const expected = range.end - range.start;
  if (declared !== null && Number(declared) !== expected) {
    return refuseUnread(Number(declared) > expected ? 413 : 400, `This upload must have ${expected} bytes.`);
  }
  const release = takeSlot("concurrent_uploads", link.account);
  if (!release) {
    return refuseUnread(429, "Too many uploads at once. Wait until one of them has finished.", { "retry-after": "2" });
  }
  try {
    const { start, end } = range;
    return await receive(link, { start, end, arrivedAt }, request.body ?? nothing(), header !== null);
  } finally {
    release();
  }
}

/** Responds with the received bytes. Publishes an upload that is complete but was not published because of a kill. */
async function progress(link: ReadUploadLink, arrivedAt: number): Promise<Response> {
  const store = ownStore();
  const stored = await store.head(link.key);
  if (stored?.sizeBytes === link.sizeBytes) return complete(stored.etag, link);
  const received = await store.receivedBytes(link.key, link.sizeBytes);
  if (received < link.sizeBytes || received === 0) return incomplete(received);
  return receive(link, { start: received, end: received, arrivedAt }, nothing(), true);
}

const complete = (etag: string, link: ReadUploadLink): Response =>
  response(200, { etag, size_bytes: link.sizeBytes }, { etag });

/** The 308 of resumable uploads, which names the received bytes. Without any, there is no `Range`. */
const incomplete = (received: number, headers: Record<string, string> = {}): Response =>
  response(308, null, received > 0 ? { range: `bytes=0-${received - 1}`, ...headers } : headers);

async function receive(
  link: ReadUploadLink,
  range: Pick<Part, "start" | "end" | "arrivedAt">,
  body: ReadableStream<Uint8Array>,
  resumable: boolean,
): Promise<Response> {
  const store = ownStore();
  const activity = setInterval(() => void noteActivity(link.key).catch(() => {}), 60 * 60_000);
  let admission = "open" as Admission;
  try {
    const part = { ...range, sizeBytes: link.sizeBytes, body };
    const { received, etag } = await store.receive(link.key, part, async (publish) => {
      admission = await publishAdmitted(link.key, publish);
    });
    if (admission === "deleted") {
      await store.discard(link.key);
      return refuse(404, "Not found.");
    }
    if (admission === "confirmed") return refuse(409, "This file is confirmed and cannot change any more.");
    if (etag !== null) return complete(etag, link);
    return resumable
      ? incomplete(received)
      : refuse(400, `This upload must have ${link.sizeBytes} bytes, not ${received}.`);
  } catch (error) {
    return await handleFailure(error, link);
  } finally {
    clearInterval(activity);
  }
}

const retryAfter = ({ options }: ServiceError): Record<string, string> =>
  options.retryAfterSeconds === undefined ? {} : { "retry-after": String(options.retryAfterSeconds) };

const cannotWrite = () =>
  new ServiceError("unavailable", {
    detail: "The upload could not be stored. Try again later.",
    retryAfterSeconds: 60,
  });

async function handleFailure(error: unknown, link: ReadUploadLink): Promise<Response> {
  if (error instanceof UploadRefused) {
    if (error.reason === "gap") return incomplete(error.received, { connection: "close" });
    if (error.reason === "superseded") return refuseUnread(409, "A newer upload of this file took over.");
    return refuseUnread(413, "The body holds more bytes than declared.");
  }
  if (isServiceError(error)) return refuseUnread(errorTable[error.code].status, error.text(), retryAfter(error));
  if (findOutage(error)) throw error;
  if (!(error instanceof UploadInterrupted)) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const refusal = code === "ENOSPC" || code === "EDQUOT" ? noSpace() : cannotWrite();
    log.error({ err: error }, "an upload could not be written");
    return refuseUnread(503, refusal.text(), retryAfter(refusal));
  }
  // The connection broke: received bytes are retained for a retry, unless the recording was deleted meanwhile.
  if ((await readAdmission(link.key)) === "deleted") await ownStore().discard(link.key);
  log.debug({ err: error }, "an upload was interrupted");
  return refuseUnread(400, "The upload broke off.");
}
