import { diskStore } from "@/server/platform/storage/current";
import { attachment, displayName } from "@/server/platform/storage/file-name";
import { readDownloadLink } from "@/server/platform/storage/links";
import { ObjectMissing, type StoredObject } from "@/server/platform/storage/store";
import { parseRange } from "@/server/transport/files/ranges";
import { response, refuse } from "@/server/transport/files/responses";

const bare = (tag: string): string => tag.trim().replace(/^W\//, "");

/** Whether a `Range` still means the object the client knows: by tag or by date. */
function unchanged(ifRange: string | null, object: StoredObject): boolean {
  if (ifRange === null) return true;
  if (ifRange.includes('"')) return ifRange.trim() === object.etag;
  return Math.floor(object.modifiedAt.getTime() / 1000) * 1000 === Date.parse(ifRange);
}

/**
 * GET and HEAD of an object by a signed link, as a whole or one range of it. 404 for links that are forged or over and
 * for objects that are gone; 416 beyond the end. It is always saved, never shown, by browsers.
 */
export async function download(request: Request): Promise<Response> {
  const link = readDownloadLink(new URL(request.url));
  const store = diskStore();
  const object = link && (await store.head(link.key));
  if (!link || !object) return refuse(404, "Not found.");

  const headers: Record<string, string> = {
    etag: object.etag,
    "last-modified": object.modifiedAt.toUTCString(),
    "accept-ranges": "bytes",
    "content-type": "application/octet-stream",
    "content-disposition": attachment(displayName(link.fileName)),
    "content-security-policy": "sandbox; default-src 'none'",
  };
  const known = request.headers.get("if-none-match");
  if (known && (known.trim() === "*" || known.split(",").some((tag) => bare(tag) === object.etag))) {
    return new Response(null, { status: 304, headers: { etag: object.etag } });
  }
  const wanted = unchanged(request.headers.get("if-range"), object)
    ? parseRange(request.headers.get("range") ?? undefined, object.sizeBytes)
    : null;
  if (wanted === "unsatisfiable") {
    return response(
      416,
      { detail: "The range lies beyond the end." },
      { "content-range": `bytes */${object.sizeBytes}` },
    );
  }
  const { start, end } = wanted ?? { start: 0, end: object.sizeBytes };
  const partial: Record<string, string> = wanted
    ? { "content-range": `bytes ${start}-${end - 1}/${object.sizeBytes}` }
    : {};
  const body = request.method === "HEAD" ? null : await store.read(link.key, { start, end }).catch(orGone);
  if (body === "gone") return refuse(404, "Not found.");
  return new Response(body, {
    status: wanted ? 206 : 200,
    headers: {
      ...headers,
      ...partial,
      "content-length": String(end - start),
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
    },
  });
}

function orGone(error: unknown): "gone" {
  if (error instanceof ObjectMissing) return "gone";
  throw error;
}
