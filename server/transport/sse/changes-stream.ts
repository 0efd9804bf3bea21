import { Hono } from "hono";
import { streamSSE, type SSEMessage } from "hono/streaming";
import { errorTable, isServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { changesSince, changesWithin, lastChangeId, onChange } from "@/server/platform/realtime/changes";
import type { RecentChange } from "@/server/platform/realtime/recent-changes";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { readSession } from "@/server/transport/session/session";

const log = logFor("changes");
const beatMs = 10_000;
const retryMs = 2_000;
/** A stream ends when its session could not be checked at this many beats in a row: it may report nothing by then. */
const maxFailedChecks = 3;

/** An event; an interrupted stream resumes from `id`. */
const toEvent = (event: string, data: unknown, id = lastChangeId()): SSEMessage => ({
  event,
  data: JSON.stringify(data),
  ...(id !== null && { id }),
});

const toChangeMessage = ({ id, kind, uid, action }: RecentChange): SSEMessage => ({
  data: JSON.stringify({ kind, uid, action }),
  id,
});

/** Milliseconds by which the request of a stream may take longer than that of its page. */
const ageMarginMs = 2_000;

/**
 * The first events of a stream: for a resumed one (`lastId`) the changes it missed, for that of a new page those since the
 * page was requested `ageMs` ago; or `reset`, to fetch everything again, when they are not retained any more.
 */
function formatOpening(organizationId: string, lastId: string | null, ageMs: number | null): SSEMessage[] {
  const missed = lastId === null ? readMissed(organizationId, ageMs) : changesSince(organizationId, lastId);
  const begin = missed === null ? "reset" : lastId === null ? "new" : "resumed";
  return [
    ...(missed ?? []).map(toChangeMessage),
    { ...toEvent(begin === "reset" ? "reset" : "begin", begin), retry: retryMs },
  ];
}

const readMissed = (organizationId: string, ageMs: number | null): RecentChange[] | null =>
  ageMs === null ? [] : changesWithin(organizationId, ageMs, ageMarginMs);

/** A number of milliseconds; null for anything else. */
const readAge = (text: string | undefined): number | null => (/^\d{1,12}$/.test(text ?? "") ? Number(text) : null);

/**
 * GET /api/changes: server-sent events for a signed-in browser: the changes of its organization, and a `beat` every
 * 10 s with which the session is checked again, so that signing out elsewhere ends the stream; a change of members
 * checks it immediately. `Last-Event-ID` (or
 * `last_event_id`, for a new connection) resumes a stream of any web process; `age` says how many milliseconds ago a page
 * was requested, so that it misses nothing between what it was made of and its stream.
 */
export const changesRouter = new Hono().get("/api/changes", async (c) => {
  const cookie = c.req.header("cookie") ?? null;
  const session = await readSession(cookie).catch((error: unknown) => unavailable(error) ?? Promise.reject(error));
  if (isServiceError(session)) return unavailableResponse(session);
  if (!session) return c.json({ detail: "Authentication credentials were not provided." }, 401);
  const release = takeSlot("concurrent_streams", session.userId);
  if (!release) {
    const detail = "Too many streams of changes at the same time. Close other windows.";
    return c.json({ detail }, errorTable.throttled.status, { "retry-after": "10" });
  }
  const lastId = c.req.header("last-event-id") ?? c.req.query("last_event_id") ?? null;
  const ageMs = readAge(c.req.query("age"));

  const response = streamSSE(
    c,
    (stream) =>
      new Promise<void>((resolve) => {
        const send = (message: SSEMessage) => void stream.writeSSE(message);
        // No change is lost between the missed and the following ones: both are requested synchronously.
        formatOpening(session.organizationId, lastId, ageMs).forEach(send);
        const unsubscribe = onChange(session.organizationId, {
          onChange: (change) => {
            send(toChangeMessage(change));
            if (change.kind === "member") check(() => {}); // it may be the person who is removed
          },
          onGap: () => send(toEvent("reset", "reset")),
        });
        let failedChecks = 0;
        const check = (onValid: () => void) => {
          // The stream outlives the limit of a request, so that each check has its own.
          void inScope(new RequestScope(), () => readSession(cookie)).then(
            (current) => {
              failedChecks = 0;
              if (current?.organizationId === session.organizationId) onValid();
              else end();
            },
            (error: unknown) => {
              if (unavailable(error) && ++failedChecks < maxFailedChecks) return; // the next beat checks again
              if (unavailable(error)) return end(); // the browser opens another, of this process or the next
              log.error({ err: error }, "a stream of changes ended because its session could not be checked");
              end();
            },
          );
        };
        const beat = setInterval(() => check(() => send(toEvent("beat", "beat"))), beatMs);
        const end = () => {
          clearInterval(beat);
          unsubscribe();
          release();
          resolve(); // closes the stream
        };
        stream.onAbort(end);
        c.req.raw.signal.addEventListener("abort", end);
      }),
  );
  // The server sets these headers itself.
  for (const name of ["transfer-encoding", "connection"]) response.headers.delete(name);
  response.headers.set("cache-control", "no-store, no-transform");
  response.headers.set("x-accel-buffering", "no");
  return response;
});
