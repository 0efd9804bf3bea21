import { Hono, type Context } from "hono";
import type { Ctx } from "@/server/platform/context";
import { objectStore } from "@/server/platform/storage/current";
import { refuse } from "@/server/transport/files/responses";
import { mediaHeaders, respondWithMedia } from "@/server/transport/media/media-session";

/** The maximum of bytes of one response. */
const maxPartBytes = 64 * 1024 * 1024;

/** An object whose parts a page reads. Its bytes never change while its version is the same. */
interface MediaObject {
  key: string;
  size: number;
  version: string;
}

/** Finds an object of the caller's organization; null when there is none of it. */
export type FindMedia = (ctx: Ctx, uid: string, query: URLSearchParams) => Promise<MediaObject | null>;

/** Parses `<offset>-<length>`, in bytes; null for anything else. */
function parsePart(text: string): { offset: number; length: number } | null {
  const match = /^(\d{1,15})-(\d{1,9})$/.exec(text);
  if (!match) return null;
  const [offset, length] = [Number(match[1]), Number(match[2])];
  return length > 0 && length <= maxPartBytes ? { offset, length } : null;
}

async function readPart(c: Context, ctx: Ctx, find: FindMedia): Promise<Response> {
  const part = parsePart(c.req.param("part") ?? "");
  if (!part) return refuse(400, `A part is <offset>-<length>, of at most ${maxPartBytes} bytes.`);

  const object = await find(ctx, c.req.param("uid") ?? "", new URL(c.req.raw.url).searchParams);
  if (!object) return refuse(404, "Not found.");
  if (object.version !== c.req.param("version")) return refuse(409, "The file changed.");
  const { offset: start, length } = part;
  if (start + length > object.size) return refuse(416, "The part lies beyond the end.");
  const body = await objectStore().read(object.key, { start, end: start + length });
  return new Response(body, {
    headers: { "content-type": "application/octet-stream", "content-length": String(length), ...mediaHeaders },
  });
}

/**
 * GET /media/<kind>/<uid>/<version>/<offset>-<length>: a part of an object for pages of a signed-in person. Each part has
 * an address of its own, without a Range header, since browsers request only one range of an address at a time.
 */
export function mediaRouter(kinds: Readonly<Record<string, FindMedia>>): Hono {
  const known = new Map(Object.entries(kinds));
  return new Hono().get("/media/:kind/:uid/:version/:part", async (c) => {
    const find = known.get(c.req.param("kind"));
    return find ? respondWithMedia(c, (ctx) => readPart(c, ctx, find)) : refuse(404, "Not found.");
  });
}
