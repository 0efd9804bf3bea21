import { Hono } from "hono";
import { sessionOf } from "@/server/auth";
import { onChange } from "@/server/changes";

const encoder = new TextEncoder();
const beatMs = 15_000;

/**
 * GET /api/changes: the server-sent stream of a signed-in browser: what changed in its organization, a comment every 15 s. The
 * session is checked again with every beat, so that signing out elsewhere ends the stream.
 */
export const changesDoor = new Hono().get("/api/changes", async (c) => {
  const cookie = c.req.header("cookie") ?? null;
  const session = await sessionOf(cookie);
  if (!session) return c.json({ detail: "Authentication credentials were not provided." }, 401);

  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => {
        try {
          controller.enqueue(encoder.encode(text));
        } catch {
          stop();
        }
      };
      const unsubscribe = onChange(session.organizationId, ({ kind, uid, action }) =>
        send(`data: ${JSON.stringify({ kind, uid, action })}\n\n`),
      );
      const beat = setInterval(() => {
        void sessionOf(cookie).then((current) => {
          if (current?.organizationId === session.organizationId) return send(": beat\n\n");
          stop();
          controller.close();
        }, stop);
      }, beatMs);
      stop = () => {
        clearInterval(beat);
        unsubscribe();
      };
      c.req.raw.signal.addEventListener("abort", stop);
      send("retry: 2000\n\n: open\n\n");
    },
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    },
  });
});
