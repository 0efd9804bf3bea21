import { Hono } from "hono";
import { streamSSE, type SSEMessage } from "hono/streaming";
import type { Ctx } from "@/server/platform/context";
import { errorTable, isServiceError } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { changesSince, changesWithin, lastChangeId, onChange } from "@/server/platform/realtime/changes";
import type { RecentChange } from "@/server/platform/realtime/recent-changes";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { unavailable, unavailableResponse } from "@/server/platform/unavailable";
import { createSessionContext, readSession, type Session } from "@/server/transport/session/session";

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

const readMissed = (organizationId: string, ageMs: number | null): RecentChange[] | null =>
  ageMs === null ? [] : changesWithin(organizationId, ageMs, ageMarginMs);

/** A number of milliseconds; null for anything else. */
const readAge = (text: string | undefined): number | null => (/^\d{1,12}$/.test(text ?? "") ? Number(text) : null);

/** Those of the changes of which a caller is notified, in their order. */
type SelectReported = (ctx: Ctx, changes: readonly RecentChange[]) => Promise<RecentChange[]>;

/**
 * GET /api/changes: server-sent events for a signed-in browser: the changes of its organization, as far as its user sees
 * the objects, and a `beat` every 10 s with which the session is checked again, so that signing out elsewhere ends the
 * stream; a change of members checks it immediately. `Last-Event-ID` (or `last_event_id`, for a new connection) resumes a
 * stream of any web process; `age` says how many milliseconds ago a page was requested, so that it misses nothing between
 * what it was made of and its stream. What cannot be reported any more becomes `reset`: to fetch everything again.
 */
export const changesRouter = (selectReported: SelectReported) =>
  new Hono().get("/api/changes", async (c) => {
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
          let person: Session = session;
          let ended = false;
          const send = (message: SSEMessage) => void (ended || stream.writeSSE(message));
          // One after another, as received: who has an event's id has received everything before it.
          let queue: Promise<void> = Promise.resolve();
          const enqueue = (work: () => void | Promise<void>) =>
            (queue = queue.then(() => (ended ? undefined : work())));
          const report = (changes: readonly RecentChange[]) =>
            enqueue(async () => {
              const ctx = createSessionContext(person, { ip: null, requestId: null });
              try {
                // The stream outlives the limit of a request, so that each search has its own.
                const reported = await inScope(new RequestScope(), () => selectReported(ctx, changes));
                reported.map(toChangeMessage).forEach(send);
              } catch (error) {
                if (!unavailable(error))
                  log.error({ err: error }, "who is notified of a change could not be looked up");
                send(toEvent("reset", "reset"));
              }
            });
          let failedChecks = 0;
          const check = (onValid: () => void): Promise<void> =>
            inScope(new RequestScope(), () => readSession(cookie)).then(
              (current) => {
                failedChecks = 0;
                if (current?.organizationId !== session.organizationId) return end();
                person = current; // with another role, they see other objects
                onValid();
              },
              (error: unknown) => {
                if (unavailable(error) && ++failedChecks < maxFailedChecks) return; // the next beat checks again
                if (unavailable(error)) return end(); // the browser opens another, of this process or the next
                log.error({ err: error }, "a stream of changes ended because its session could not be checked");
                end();
              },
            );
          // No change is lost between the missed and the following ones: both are requested synchronously.
          const missed =
            lastId === null ? readMissed(session.organizationId, ageMs) : changesSince(session.organizationId, lastId);
          const begin = missed === null ? "reset" : lastId === null ? "new" : "resumed";
          const opening = { ...toEvent(begin === "reset" ? "reset" : "begin", begin), retry: retryMs };
          if (missed?.length) void report(missed);
          void enqueue(() => send(opening));
          const unsubscribe = onChange(session.organizationId, {
            onChange: (change) => {
              void report([change]);
              if (change.kind === "member") void enqueue(() => check(() => {})); // it may be the person who is removed
            },
            onGap: () => {
              const reset = toEvent("reset", "reset");
              void enqueue(() => send(reset));
            },
          });
          const beat = setInterval(() => {
            void check(() => {
              const message = toEvent("beat", "beat");
              void enqueue(() => send(message));
            });
          }, beatMs);
          const end = () => {
            ended = true;
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
