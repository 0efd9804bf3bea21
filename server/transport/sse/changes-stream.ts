import { Hono } from "hono";
import { isServiceError } from "@/server/platform/errors";
import { changesSince, lastChangeId, onChange } from "@/server/platform/realtime/changes";
import type { Heard } from "@/server/platform/realtime/recent-changes";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { unavailable, unavailableAnswer } from "@/server/platform/unavailable";
import { sessionOf } from "@/server/transport/session/session";

const encoder = new TextEncoder();
const beatMs = 10_000;
const retryMs = 2_000;

/** One server-sent event; `id` is where the stream goes on after it broke off. */
const eventText = (event: string | null, data: unknown, id: string | null): string =>
  `${id === null ? "" : `id: ${id}\n`}${event === null ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;

const changeText = ({ id, kind, uid, action }: Heard): string => eventText(null, { kind, uid, action }, id);

/**
 * How a stream begins: one that broke off (`lastId`) is told what it missed, or to fetch everything anew (`reset`) when
 * that is not known any more.
 */
export function openingOf(organizationId: string, lastId: string | null): string {
  const missed = lastId === null ? [] : changesSince(organizationId, lastId);
  const begin = missed === null ? "reset" : lastId === null ? "new" : "resumed";
  return [
    ...(missed ?? []).map(changeText),
    eventText(begin === "reset" ? "reset" : "begin", begin, lastChangeId()),
  ].join("");
}

/**
 * GET /api/changes: the server-sent stream of a signed-in browser: what changed in its organization, and a `beat` every
 * 10 s. The session is checked again with every beat, so that signing out elsewhere ends the stream. `Last-Event-ID`
 * (or `last_event_id`, for a connection the browser opens anew) goes on where another stream ended, in whichever web
 * process that was.
 */
export const changesRouter = new Hono().get("/api/changes", async (c) => {
  const cookie = c.req.header("cookie") ?? null;
  const session = await sessionOf(cookie).catch((error: unknown) => unavailable(error) ?? Promise.reject(error));
  if (isServiceError(session)) return unavailableAnswer(session);
  if (!session) return c.json({ detail: "Authentication credentials were not provided." }, 401);
  const lastId = c.req.header("last-event-id") ?? c.req.query("last_event_id") ?? null;

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
      // What was missed and what follows: nothing can come in between, for both are asked for in one go.
      const opening = openingOf(session.organizationId, lastId);
      const unsubscribe = onChange(session.organizationId, {
        onChange: (change) => send(changeText(change)),
        onGap: () => send(eventText("reset", "reset", lastChangeId())),
      });
      const beat = setInterval(() => {
        // The stream may outlive any limit; each of its questions has one of its own.
        void inScope(new RequestScope(), () => sessionOf(cookie)).then(
          (current) => {
            const goesOn = current?.organizationId === session.organizationId;
            if (goesOn) return send(eventText("beat", "beat", lastChangeId()));
            stop();
            controller.close();
          },
          (error: unknown) => {
            if (unavailable(error)) return; // the next beat asks again
            stop();
            controller.error(error);
          },
        );
      }, beatMs);
      stop = () => {
        clearInterval(beat);
        unsubscribe();
      };
      c.req.raw.signal.addEventListener("abort", stop);
      send(`retry: ${retryMs}\n\n${opening}`);
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
