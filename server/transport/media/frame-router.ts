import { Hono } from "hono";
import type { Ctx } from "@/server/platform/context";
import { errorTable, isServiceError } from "@/server/platform/errors";
import { refuse } from "@/server/transport/files/responses";
import { mediaHeaders, respondWithMedia } from "@/server/transport/media/media-session";

/** Decodes the picture of a topic at a moment of an object of the caller's organization, as JPEG. */
type ReadFrame = (ctx: Ctx, uid: string, wanted: { topic: string; at: bigint }) => Promise<Uint8Array>;

/** Browsers keep a picture for an hour: the recording may be processed again. */
const cacheControl = "private, max-age=3600";

/** GET /media/<kind>/<uid>/frame?topic=…&t=<nanoseconds>: a picture of a video for pages whose browser cannot decode it. */
export function frameRouter(kinds: Readonly<Record<string, ReadFrame>>): Hono {
  const known = new Map(Object.entries(kinds));
  return new Hono().get("/media/:kind/:uid/frame", async (c) => {
    const read = known.get(c.req.param("kind"));
    if (!read) return refuse(404, "Not found.");
    return respondWithMedia(c, async (ctx) => {
      const { topic = "", t = "" } = c.req.query();
      if (!/^\d{1,19}$/.test(t)) return refuse(400, "The moment t is a number of nanoseconds since 1970.");
      try {
        const bytes = await read(ctx, c.req.param("uid"), { topic, at: BigInt(t) });
        return new Response(Uint8Array.from(bytes), {
          headers: {
            ...mediaHeaders,
            "cache-control": cacheControl,
            "content-type": "image/jpeg",
            "content-length": String(bytes.length),
          },
        });
      } catch (error) {
        if (!isServiceError(error) || error.code === "unavailable") throw error;
        return refuse(errorTable[error.code].status, error.text());
      }
    });
  });
}
