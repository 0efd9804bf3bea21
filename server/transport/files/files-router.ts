import { Hono, type Context } from "hono";
import { logFor } from "@/server/platform/log";
import { filesPath, uploadPath } from "@/server/platform/storage/links";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { download } from "@/server/transport/files/download";
import { preflight, readableElsewhere } from "@/server/transport/files/link-origins";
import { refuse } from "@/server/transport/files/responses";
import { upload } from "@/server/transport/files/upload";
import { clientAddress } from "@/server/transport/rest/authenticate";

const log = logFor("files");

/** The HTTP server's request. Absent where Next itself listens. */
interface Bindings {
  incoming?: { socket: { remoteAddress?: string | undefined } };
}
type FilesContext = Context<{ Bindings: Bindings | undefined }>;

/** Responds to a request by a link; failures become responses. */
export const protectedRoute =
  (act: (request: Request, ip: string | null) => Promise<Response>) => async (c: FilesContext) => {
    try {
      const { raw } = c.req;
      return await act(raw, clientAddress(raw.headers, c.env?.incoming?.socket.remoteAddress ?? null));
    } catch (error) {
      const refusal = unavailable(error);
      if (refusal) {
        const response = unavailableResponse(refusal);
        response.headers.set("connection", "close"); // the body may not have been read
        return response;
      }
      log.error({ err: error }, "request failed");
      return refuse(500, "A server error occurred.");
    }
  };

const notAllowed = (allow: string) => (c: FilesContext) =>
  refuse(405, `Method "${c.req.method}" not allowed.`, { allow });

/**
 * Our own server as an object store: PUT below /files/upload/ and GET below /files/, by signed and expiring links. A
 * link contains what it grants; no API key is required, and only concurrent uploads are limited. Pages of LINK_ORIGINS may
 * read what they have a link to.
 */
export const filesRouter = new Hono<{ Bindings: Bindings | undefined }>()
  .put(`${uploadPath}*`, protectedRoute(upload))
  .all(`${uploadPath}*`, notAllowed("PUT"))
  .options(`${filesPath}*`, (c) => preflight(c.req.raw))
  .get(`${filesPath}*`, protectedRoute(readableElsewhere(download)))
  .all(`${filesPath}*`, notAllowed("GET, HEAD"));
