import { Hono } from "hono";
import { objectStore } from "@/server/platform/storage/current";
import { ObjectMissing } from "@/server/platform/storage/store";
import { protectedRoute } from "@/server/transport/files/files-router";
import { refuse } from "@/server/transport/files/responses";

/** A stored picture, or one that is made while it is asked for. */
type LinkedPicture = { key: string; size: number } | { bytes: Uint8Array };

/** Finds the picture that a link grants; null for a link that grants none. */
type FindLinked = (url: URL) => Promise<LinkedPicture | null>;

/** Short, so that a picture that was removed is soon gone everywhere; shown in mails and chats of other origins. */
const headers = {
  "content-type": "image/jpeg",
  "cache-control": "private, max-age=300",
  "content-disposition": 'inline; filename="picture.jpg"',
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex",
};

/** GET and HEAD of one JPEG below `path`, by a signed link in a message or on a page, without a session. */
export function linkedPictureRouter(path: string, find: FindLinked): Hono {
  return new Hono().get(
    `${path}*`,
    protectedRoute(async (request) => {
      const picture = await find(new URL(request.url));
      if (!picture) return refuse(404, "Not found.");
      try {
        const isHead = request.method === "HEAD";
        const size = "bytes" in picture ? picture.bytes.length : picture.size;
        const read = () => ("bytes" in picture ? Uint8Array.from(picture.bytes) : objectStore().read(picture.key));
        return new Response(isHead ? null : await read(), { headers: { ...headers, "content-length": String(size) } });
      } catch (error) {
        if (error instanceof ObjectMissing) return refuse(404, "Not found.");
        throw error;
      }
    }),
  );
}
