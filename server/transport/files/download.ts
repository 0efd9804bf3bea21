import { noteDownload } from "@/server/platform/access-notes";
import { attachment, displayName, getMediaType } from "@/server/platform/storage/file-name";
import { inBucket } from "@/server/platform/storage/keys";
import { readDownloadLink } from "@/server/platform/storage/links";
import { ownStore } from "@/server/platform/storage/own";
import { ObjectMissing, type StoredObject } from "@/server/platform/storage/store";
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

/**
 * GET and HEAD of an object, or one range of it, by a signed link. 404 for invalid or expired links and for deleted
 * objects; 416 beyond the end. The headers make browsers save the file instead of showing it.
 */
export async function download(request: Request, ip: string | null): Promise<Response> {
  const link = readDownloadLink(new URL(request.url));
  const store = ownStore();
  const object = link && (await store.head(link.key));
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
  const body = request.method === "HEAD" ? null : await store.read(link.key, { start, end }).catch(catchMissing);
  if (body === "missing") return refuse(404, "Not found.");
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

function catchMissing(error: unknown): "missing" {
  if (error instanceof ObjectMissing) return "missing";
  throw error;
}
