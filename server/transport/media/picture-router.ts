import { Hono } from "hono";
import type { Ctx } from "@/server/platform/context";
import { objectStore } from "@/server/platform/storage/current";
import { refuse } from "@/server/transport/files/responses";
import { mediaHeaders, respondWithMedia } from "@/server/transport/media/media-session";

/** A stored picture. */
interface StoredPicture {
  key: string;
  size: number;
  mediaType: "image/jpeg";
}

/** Finds the picture of a number among those of an object of the caller's organization; null when there is none. */
type FindPicture = (ctx: Ctx, uid: string, index: number) => Promise<StoredPicture | null>;

/** GET /media/<kind>/<uid>/<index>: a whole picture for pages of a signed-in person. */
export function pictureRouter(kinds: Readonly<Record<string, FindPicture>>): Hono {
  const known = new Map(Object.entries(kinds));
  return new Hono().get("/media/:kind/:uid/:index{[0-9]{1,3}}", async (c) => {
    const find = known.get(c.req.param("kind"));
    if (!find) return refuse(404, "Not found.");
    return respondWithMedia(c, async (ctx) => {
      const picture = await find(ctx, c.req.param("uid"), Number(c.req.param("index")));
      if (!picture) return refuse(404, "Not found.");
      const body = await objectStore().read(picture.key);
      return new Response(body, {
        headers: { "content-type": picture.mediaType, "content-length": String(picture.size), ...mediaHeaders },
      });
    });
  });
}
