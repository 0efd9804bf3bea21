import { createHash } from "node:crypto";
import { Malformed, readMetadata } from "@/engine/formats/mcap/mcap-records";
import { noteDownload } from "@/server/platform/observability/access-notes";
import { objectStore } from "@/server/platform/storage/current";
import { attachment, displayName, getMediaType } from "@/server/platform/storage/file-name";
import { inBucket } from "@/server/platform/storage/keys";
import { readDownloadLink, type ReadDownloadLink } from "@/server/platform/storage/links";
import { ownStore } from "@/server/platform/storage/own";
import { ObjectMissing, type ByteRange, type StoredObject } from "@/server/platform/storage/store";
import { isBeingDeleted } from "@/server/transport/files/admission-queries";
import { parseRange } from "@/server/transport/files/ranges";
import { response, refuse } from "@/server/transport/files/responses";

const bare = (tag: string): string => tag.trim().replace(/^W\//, "");

/** Whether the object is still the one that `If-Range` names by tag or date. */
function unchanged(ifRange: string | null, object: StoredObject): boolean {
  if (ifRange === null) return true;
  if (ifRange.includes('"')) return ifRange.trim() === object.etag;
  return Math.floor(object.modifiedAt.getTime() / 1000) * 1000 === Date.parse(ifRange);
}

/** What a link grants: an object, or a part of one as an object of its own. */
interface Granted extends StoredObject {
  read(range: ByteRange): Promise<ReadableStream<Uint8Array>>;
}

/** The object or the part of a link; null when it is not stored. Parts of objects in a bucket pass through here too. */
async function openGranted({ key, part }: ReadDownloadLink): Promise<Granted | null> {
  const store = part === null ? ownStore() : objectStore();
  const object = await store.head(key);
  if (object === null || part === null) return object && { ...object, read: (range) => store.read(key, range) };
  const { start, end, as } = part;
  if (end > object.sizeBytes) return null;
  const etag = `"${createHash("sha256").update(`${object.etag} ${as} ${start} ${end}`).digest("base64url")}"`;
  if (as === "metadata") {
    const document = metadataDocument(await store.readBytes(key, start, end - start));
    if (document === null) return null;
    return {
      ...object,
      etag,
      sizeBytes: document.size,
      read: async (range) => document.slice(range.start, range.end).stream(),
    };
  }
  const read = (range: ByteRange) => store.read(key, { start: start + range.start, end: start + range.end });
  return { ...object, etag, sizeBytes: end - start, read };
}

/** A metadata record as JSON: its name and its values; null when it is damaged. */
function metadataDocument(record: Uint8Array): Blob | null {
  try {
    const { name, metadata } = readMetadata(record);
    return new Blob([`${JSON.stringify({ name, metadata: Object.fromEntries(metadata) }, null, 2)}\n`]);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

/**
 * GET and HEAD of an object, or one range of it, by a signed link. 404 for invalid or expired links and for deleted
 * objects; 416 beyond the end. The headers make browsers save the file instead of showing it.
 */
export async function download(request: Request, ip: string | null): Promise<Response> {
  const link = readDownloadLink(new URL(request.url));
  const object = link && (await openGranted(link).catch(catchMissing));
  if (!link || !object || (await isBeingDeleted(getOrganization(link.key)))) return refuse(404, "Not found.");

  const headers: Record<string, string> = {
    etag: object.etag,
    "last-modified": object.modifiedAt.toUTCString(),
    "accept-ranges": "bytes",
    "content-type": getMediaType(link.fileName),
    "content-disposition": attachment(displayName(link.fileName)),
    "content-security-policy": "sandbox; default-src 'none'",
  };
  const known = request.headers.get("if-none-match");
  if (known && (known.trim() === "*" || known.split(",").some((tag) => bare(tag) === object.etag))) {
    return new Response(null, { status: 304, headers: { etag: object.etag } });
  }
  const range = unchanged(request.headers.get("if-range"), object)
    ? parseRange(request.headers.get("range") ?? undefined, object.sizeBytes)
    : null;
  if (range === "unsatisfiable") {
    return response(
      416,
      { detail: "The range lies beyond the end." },
      { "content-range": `bytes */${object.sizeBytes}` },
    );
  }
  if (request.method === "GET" && link.by) {
    const target = { type: "file", id: link.key, name: displayName(link.fileName) };
    noteDownload(getOrganization(link.key), link.by, target, { ip, requestId: null });
  }
  const { start, end } = range ?? { start: 0, end: object.sizeBytes };
  const partial: Record<string, string> = range
    ? { "content-range": `bytes ${start}-${end - 1}/${object.sizeBytes}` }
    : {};
  const body = request.method === "HEAD" ? null : await object.read({ start, end }).catch(catchMissing);
  if (body === null && request.method !== "HEAD") return refuse(404, "Not found.");
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      ...partial,
      "content-length": String(end - start),
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Keys are `<kind>/<organization>/…`, in a bucket below `bucket/<configuration>/`. */
const getOrganization = (key: string): string => (inBucket(key)?.key ?? key).split("/")[1] ?? "";

function catchMissing(error: unknown): null {
  if (error instanceof ObjectMissing) return null;
  throw error;
}
