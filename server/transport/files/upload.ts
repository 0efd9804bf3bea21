import { logFor } from "@/server/platform/log";
import { diskStore } from "@/server/platform/storage/current";
import { readUploadLink, type ReadUploadLink } from "@/server/platform/storage/links";
import { UploadRefused } from "@/server/platform/storage/partial-uploads";
import { findOutage } from "@/server/platform/unavailable";
import {
  admissionOfKey,
  noteActivity,
  publishAdmitted,
  type Admission,
} from "@/server/transport/files/admission-queries";
import { parseContentRange, type ContentRange } from "@/server/transport/files/ranges";
import { response, refuse } from "@/server/transport/files/responses";
import { takeUploadSlot } from "@/server/transport/files/slots";

const log = logFor("files");

/** An answer before the body was read: the connection cannot be used for another request. */
const turnAway = (status: number, detail: string, headers: Record<string, string> = {}) =>
  refuse(status, detail, { connection: "close", ...headers });

const nothing = (): ReadableStream<Uint8Array> => new ReadableStream({ start: (controller) => controller.close() });

/**
 * PUT of an object's bytes by a signed link: all at once, from where an earlier PUT broke off (`Content-Range: bytes
 * a-b/N`), or the question how far that got (`bytes *` and the size). 200 with the entity tag once all bytes are there,
 * 308 with a `Range` of those kept before.
 */
export async function upload(request: Request): Promise<Response> {
  const link = readUploadLink(new URL(request.url));
  if (link === "forged") return turnAway(403, "The upload link is not valid.");
  if (link === "expired") return turnAway(403, "The upload link has expired. Ask for a new one.");
  const { headers } = request;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    return turnAway(415, "Unsupported content encoding in request.");
  }
  const header = headers.get("content-range");
  const range: ContentRange | null =
    header === null
      ? { kind: "part", start: 0, end: link.sizeBytes, total: link.sizeBytes }
      : parseContentRange(header);
  if (!range || range.total !== link.sizeBytes) {
    return turnAway(400, `Content-Range must name bytes of ${link.sizeBytes}, the size declared for this file.`);
  }

  const admission = await admissionOfKey(link.key);
  if (admission === "gone") return turnAway(404, "Not found.");
  if (range.kind === "probe") return progress(link);
  if (admission === "confirmed") return turnAway(409, "This file is confirmed and cannot change any more.");

  const declared = headers.get("content-length");
  const expected = range.end - range.start;
  if (declared !== null && Number(declared) !== expected) {
    return turnAway(Number(declared) > expected ? 413 : 400, `This upload must have ${expected} bytes.`);
  }
  const release = takeUploadSlot(link.account);
  if (!release) {
    return turnAway(429, "Too many uploads at once. Wait until one of them has finished.", { "retry-after": "2" });
  }
  try {
    return await receive(link, range, request.body ?? nothing(), header !== null);
  } finally {
    release();
  }
}

/** How far an upload got. All bytes there but not yet published (we were killed in between) is finished here. */
async function progress(link: ReadUploadLink): Promise<Response> {
  const store = diskStore();
  const stored = await store.head(link.key);
  if (stored?.sizeBytes === link.sizeBytes) return complete(stored.etag, link);
  const received = await store.receivedBytes(link.key);
  if (received < link.sizeBytes || received === 0) return incomplete(received);
  return receive(link, { start: received, end: received }, nothing(), true);
}

const complete = (etag: string, link: ReadUploadLink): Response =>
  response(200, { etag, size_bytes: link.sizeBytes }, { etag });

/** 308 as resumable uploads know it: go on after these bytes. Without any, there is no `Range`. */
const incomplete = (received: number, headers: Record<string, string> = {}): Response =>
  response(308, null, received > 0 ? { range: `bytes=0-${received - 1}`, ...headers } : headers);

async function receive(
  link: ReadUploadLink,
  range: { start: number; end: number },
  body: ReadableStream<Uint8Array>,
  resumable: boolean,
): Promise<Response> {
  const store = diskStore();
  const beat = setInterval(() => void noteActivity(link.key).catch(() => {}), 60 * 60_000);
  let admission = "open" as Admission;
  try {
    const part = { start: range.start, end: range.end, sizeBytes: link.sizeBytes, body };
    const { received, etag } = await store.receive(link.key, part, async (publish) => {
      admission = await publishAdmitted(link.key, publish);
    });
    if (admission === "gone") {
      await store.discard(link.key);
      return refuse(404, "Not found.");
    }
    if (admission === "confirmed") return refuse(409, "This file is confirmed and cannot change any more.");
    if (etag !== null) return complete(etag, link);
    return resumable
      ? incomplete(received)
      : refuse(400, `This upload must have ${link.sizeBytes} bytes, not ${received}.`);
  } catch (error) {
    return await failed(error, link);
  } finally {
    clearInterval(beat);
  }
}

async function failed(error: unknown, link: ReadUploadLink): Promise<Response> {
  if (error instanceof UploadRefused) {
    if (error.reason === "gap") return incomplete(error.received, { connection: "close" });
    if (error.reason === "superseded") return turnAway(409, "A newer upload of this file took over.");
    return turnAway(413, "The body holds more bytes than declared.");
  }
  if (findOutage(error)) throw error;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") {
    log.error({ err: error }, "no space left for uploads");
    return turnAway(503, "There is no space left for uploads.", { "retry-after": "60" });
  }
  // The connection broke: what came stays for the client's next try, unless the recording went meanwhile.
  if ((await admissionOfKey(link.key)) === "gone") await diskStore().discard(link.key);
  log.debug({ err: error }, "an upload broke off");
  return turnAway(400, "The upload broke off.");
}
