import { Hono } from "hono";
import type { Ctx } from "@/server/platform/context";
import { objectStore } from "@/server/platform/storage/current";
import { refuse } from "@/server/transport/files/responses";
import { mediaHeaders, respondWithMedia } from "@/server/transport/media/media-session";

/** A file in a stored zip, whose sizes were checked when it was uploaded. */
interface PackedFile {
  key: string;
  file: { size: number; offset: number; packed: number; deflated: boolean };
}

/** Finds a file of a robot description of the caller's organization by its position; null when there is none. */
type FindRobotFile = (ctx: Ctx, uid: string, position: number) => Promise<PackedFile | null>;

/**
 * GET /media/robot-descriptions/<uid>/files/<position>: a file of a robot description for pages of a signed-in person. Each
 * upload has a uid of its own, so that an address never gets other bytes.
 */
export const robotRouter = (find: FindRobotFile): Hono =>
  new Hono().get("/media/robot-descriptions/:uid/files/:position{[0-9]{1,4}}", (c) =>
    respondWithMedia(c, async (ctx) => {
      const found = await find(ctx, c.req.param("uid"), Number(c.req.param("position")));
      if (!found) return refuse(404, "Not found.");
      const { key, file } = found;
      const headers = {
        ...mediaHeaders,
        "content-type": "application/octet-stream",
        "content-length": String(file.size),
      };
      if (c.req.method === "HEAD" || file.size === 0) return new Response(null, { headers });
      const packed = await objectStore().read(key, { start: file.offset, end: file.offset + file.packed });
      if (!file.deflated) return new Response(packed, { headers });
      // Node's types say of it that it takes any source of bytes, which no pipe of bytes may lead to.
      const inflate = new DecompressionStream("deflate-raw") as ReadableWritablePair<Uint8Array, Uint8Array>;
      return new Response(packed.pipeThrough(inflate), { headers });
    }),
  );
