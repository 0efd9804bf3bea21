import type { Change as DomainChange } from "@/domain/changes";

/** A change as the server announces it: kind, uid and what happened. */
type Change = Omit<DomainChange, "organizationId">;

export interface StreamListener {
  onChange: (change: Change) => void;
  /** The stream is open (again); `missed`: what happened meanwhile is not known and has to be fetched. */
  onOpen: (missed: boolean) => void;
  /** Since when (ms) nothing was received, not even the server's keep-alive; null once it is again. */
  onStale: (since: number | null) => void;
}

/** Messages of the shared worker (public/changes-worker.js). */
type Message = { change: string } | { open: boolean } | { stale: number | null };

/**
 * Listens to the organization's changes; returns a function that stops it. All tabs of a browser share one connection
 * through a SharedWorker, because HTTP/1.1 allows six to a host; a browser without one gets a connection a tab.
 */
export function listen(organizationUid: string, listener: StreamListener): () => void {
  if (typeof SharedWorker === "undefined") return listenAlone(listener);
  // One worker an organization: after a switch, tabs that still show the other one keep their own stream.
  const { port } = new SharedWorker("/changes-worker.js", { name: `muster changes ${organizationUid}` });
  port.onmessage = ({ data }: MessageEvent<Message>) => {
    if ("change" in data) listener.onChange(JSON.parse(data.change) as Change);
    else if ("open" in data) listener.onOpen(data.open);
    else listener.onStale(data.stale);
  };
  port.postMessage({ age: getPageAge() });
  const leave = () => port.postMessage("leave");
  const online = () => port.postMessage("online");
  addEventListener("pagehide", leave);
  addEventListener("online", online);
  return () => {
    removeEventListener("pagehide", leave);
    removeEventListener("online", online);
    leave();
    port.close();
  };
}

/** Milliseconds since the page was requested, of which the stream makes up for what the page misses. */
const getPageAge = (): number => Math.round(performance.now());

const staleMs = 30_000;
/** How often a stale connection is replaced; also the delay after the server refused one. */
const reopenMs = 10_000;

/**
 * The same on a connection of this tab's own. The browser reopens one that ends; one that is silent may be dead without
 * the browser noticing, and one that was refused is closed for good, so these are replaced here.
 */
function listenAlone(listener: StreamListener): () => void {
  let source: EventSource;
  let lastId = "";
  let opened = false;
  let since: number | null = null;
  let receivedAt = Date.now();
  let openedAt = 0;
  const received = (event: MessageEvent<string>) => {
    receivedAt = Date.now();
    if (event.lastEventId) lastId = event.lastEventId;
    if (since !== null) listener.onStale((since = null));
  };
  const open = () => {
    openedAt = Date.now();
    source = new EventSource(
      `/api/changes?${lastId ? `last_event_id=${encodeURIComponent(lastId)}` : `age=${getPageAge()}`}`,
    );
    source.onmessage = (event: MessageEvent<string>) => {
      received(event);
      listener.onChange(JSON.parse(event.data) as Change);
    };
    const onOpen = (missed: (data: string) => boolean) => (event: MessageEvent<string>) => {
      received(event);
      listener.onOpen(missed(event.data));
      opened = true;
    };
    source.addEventListener("beat", received);
    const isNew = (data: string) => opened && data === '"new"';
    source.addEventListener("begin", onOpen(isNew));
    source.addEventListener(
      "reset",
      onOpen(() => true),
    );
  };
  open();
  const watch = setInterval(() => {
    const now = Date.now();
    const isSilent = now - receivedAt >= staleMs;
    if (isSilent && since === null) listener.onStale((since = receivedAt));
    if (now - openedAt < reopenMs || !(isSilent || source.readyState === EventSource.CLOSED)) return;
    source.close();
    open();
  }, 1_000);
  return () => {
    clearInterval(watch);
    source.close();
  };
}
