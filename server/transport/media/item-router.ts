import { Hono, type Context } from "hono";
import { itemMediaKinds, maxItemMedia, type ItemMediaKind } from "@/domain/datasets/media";
import type { Ctx } from "@/server/platform/context";
import { processWide } from "@/server/platform/process-wide";
import { objectStore } from "@/server/platform/storage/current";
import { attachment } from "@/server/platform/storage/file-name";
import { parseRange } from "@/server/transport/files/ranges";
import { refuse } from "@/server/transport/files/responses";
import { mediaHeaders, respondWithMedia } from "@/server/transport/media/media-session";

/** A stored object of an item, as `findItemMedia` finds it. */
interface StoredMedia {
  key: string;
  size: number;
  etag: string;
  mediaType: string | null;
  fileName: string;
}

/** Finds what is stored of an item that the caller sees. */
type FindItemMedia = (ctx: Ctx, uid: string, kind: ItemMediaKind) => Promise<StoredMedia | "disconnected" | null>;

/** A response of which nothing is read for so long is ended: it would keep its place forever. */
const maxIdleMs = 60_000;

const cacheControl: Readonly<Record<ItemMediaKind, string>> = {
  thumb: "private, max-age=86400, immutable",
  poster: "private, max-age=86400, immutable",
  data: "private, max-age=3600",
};

/** How many responses each person is being sent by this process. */
const open = processWide("openItemMedia", () => new Map<string, number>());

/** Takes a place of a person's; null when all are taken. The function returned gives it back, once. */
function takePlace(person: string): (() => void) | null {
  const taken = open.get(person) ?? 0;
  if (taken >= maxItemMedia) return null;
  open.set(person, taken + 1);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    const left = (open.get(person) ?? 1) - 1;
    if (left === 0) open.delete(person);
    else open.set(person, left);
  };
}

/** The same bytes; calls `onEnd` when they were read, failed, or nobody reads them any more. */
function endedBy(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let idle: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(idle);
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(idle);
        idle = setTimeout(() => {
          controller.error(new Error("nothing was read for too long"));
          end();
          void reader.cancel().catch(() => {});
        }, maxIdleMs).unref();
        try {
          const { value, done } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(c: Context, found: StoredMedia, kind: ItemMediaKind, release: () => void): Promise<Response> {
  const { key, size, etag, mediaType, fileName } = found;
  const headers: Record<string, string> = {
    ...mediaHeaders,
    "cache-control": cacheControl[kind],
    etag,
    "content-type": mediaType ?? "application/octet-stream",
    ...(mediaType === null && { "content-disposition": attachment(fileName) }),
    ...(kind === "data" && { "accept-ranges": "bytes" }),
  };
  const known = c.req.header("if-none-match");
  if (known && (known.trim() === "*" || known.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)))
    return new Response(null, { status: 304, headers });

  const sameFile = (c.req.header("if-range") ?? etag).trim() === etag;
  const range = kind === "data" && sameFile ? parseRange(c.req.header("range"), size) : null;
  if (range === "unsatisfiable")
    return refuse(416, "The range lies beyond the end.", { "content-range": `bytes */${size}` });
  const { start, end } = range ?? { start: 0, end: size };
  const body = c.req.method === "HEAD" ? null : endedBy(await objectStore().read(key, { start, end }), release);
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      ...(range && { "content-range": `bytes ${start}-${end - 1}/${size}` }),
      "content-length": String(end - start),
    },
  });
}

async function respond(c: Context, ctx: Ctx, kind: ItemMediaKind, find: FindItemMedia): Promise<Response> {
  const release = takePlace(ctx.actor.userId ?? ctx.actor.id ?? "");
  if (!release) return refuse(429, "Too many media are loaded concurrently.", { "retry-after": "1" });
  let streams = false;
  try {
    const found = await find(ctx, c.req.param("uid") ?? "", kind);
    if (found === null) return refuse(404, "Not found.");
    if (found === "disconnected") return refuse(410, "The bucket of this item is not connected any more.");
    const response = await send(c, found, kind, release);
    streams = response.body !== null && (response.status === 200 || response.status === 206);
    return response;
  } finally {
    // A body gives the place back when it has ended.
    if (!streams) release();
  }
}

/** GET /media/items/<uid>/<thumb|data|poster>: what is stored of an item, for pages of a signed-in person. */
export function itemRouter(find: FindItemMedia): Hono {
  const kinds = new Map<string, ItemMediaKind>(itemMediaKinds.map((kind) => [kind, kind]));
  return new Hono().get("/media/items/:uid/:kind", async (c) => {
    const kind = kinds.get(c.req.param("kind"));
    return kind ? respondWithMedia(c, (ctx) => respond(c, ctx, kind, find)) : refuse(404, "Not found.");
  });
}
