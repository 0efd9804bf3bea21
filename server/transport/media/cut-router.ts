import { Hono, type Context } from "hono";
import type { Ctx } from "@/server/platform/context";
import { errorTable, isServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { attachment } from "@/server/platform/storage/file-name";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { refuse, response } from "@/server/transport/files/responses";
import { respondWithMedia } from "@/server/transport/media/media-session";
import { clientAddress } from "@/server/transport/rest/authenticate";

const log = logFor("cuts");

/** A download of which nothing is read for so long is ended. */
const maxIdleMs = 5 * 60_000;

/** A file that is made while it is sent. */
interface MadeFile {
  fileName: string;
  mediaType: string;
  first: Uint8Array[];
  complete: boolean;
  rest: AsyncGenerator<Uint8Array>;
  damagedChunks: number;
  release: () => void;
}

/** What begins cuts: for the caller of a page, and for whoever has a link. */
interface Cuts {
  open: (ctx: Ctx, uid: string, search: URLSearchParams) => Promise<MadeFile>;
  openLink: (url: URL, ip: string | null) => Promise<MadeFile>;
}

/** The HTTP server's request. Absent where Next itself listens. */
interface Bindings {
  incoming?: { socket: { remoteAddress?: string | undefined } };
}

/** The file as a stream that makes no more than is read, and ends with its reader. */
function toStream({ first, complete, rest, release }: MadeFile): ReadableStream<Uint8Array> {
  let idle: NodeJS.Timeout | undefined;
  const end = async () => {
    clearTimeout(idle);
    release();
    await rest.return(undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(idle);
        // A reader that reads no more would keep its place forever.
        idle = setTimeout(() => {
          controller.error(new Error("nothing was read for too long"));
          void end().catch(() => {});
        }, maxIdleMs).unref();
        try {
          const waiting = first.shift();
          if (waiting !== undefined) return controller.enqueue(waiting);
          const step = complete ? null : await rest.next();
          if (step !== null && step.done !== true) return controller.enqueue(step.value);
          await end();
          controller.close();
        } catch (error) {
          // The status is sent: the caller sees an incomplete response.
          log.warn({ err: error }, "a cut ended early");
          await end().catch(() => {});
          controller.error(error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

async function respond(c: Context, open: () => Promise<MadeFile>): Promise<Response> {
  let file: MadeFile;
  try {
    file = await open();
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { retryAfterSeconds } = error.options;
    const { status } = errorTable[error.code];
    return response(status, error.body(), retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {});
  }
  const size = file.first.reduce((sum, part) => sum + part.length, 0);
  const headers = {
    "content-type": file.mediaType,
    "content-disposition": attachment(file.fileName),
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "private, no-store",
    "x-content-type-options": "nosniff",
    ...(file.complete && { "content-length": String(size) }),
    ...(file.damagedChunks > 0 && { "x-damaged-chunks": String(file.damagedChunks) }),
  };
  if (c.req.raw.signal.aborted || c.req.method === "HEAD") {
    file.release();
    await file.rest.return(undefined);
    return new Response(null, { headers });
  }
  return new Response(toStream(file), { headers });
}

/**
 * GET /media/recordings/<uid>/cut for pages, and GET /files/cuts/<uid> by a signed link: a range of a recording, which is
 * cut out while it is sent.
 */
export function cutRouter({ open, openLink }: Cuts): Hono<{ Bindings: Bindings | undefined }> {
  return new Hono<{ Bindings: Bindings | undefined }>()
    .get("/media/recordings/:uid/cut", (c) =>
      respondWithMedia(c, (ctx) =>
        respond(c, () => open(ctx, c.req.param("uid"), new URL(c.req.raw.url).searchParams)),
      ),
    )
    .get("/files/cuts/:uid", async (c) => {
      const { raw } = c.req;
      const ip = clientAddress(raw.headers, c.env?.incoming?.socket.remoteAddress ?? null);
      try {
        return await respond(c, () => openLink(new URL(raw.url), ip));
      } catch (error) {
        const refusal = unavailable(error);
        if (refusal) return unavailableResponse(refusal);
        log.error({ err: error }, "request failed");
        return refuse(500, "A server error occurred.");
      }
    });
}
