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

const staleMs = 30_000;

/** The same on a connection of this tab's own, which the browser reopens with the id of the last event. */
function listenAlone(listener: StreamListener): () => void {
  const source = new EventSource("/api/changes");
  let opened = false;
  let since: number | null = null;
  let receivedAt = Date.now();
  const received = () => {
    receivedAt = Date.now();
    if (since !== null) listener.onStale((since = null));
  };
  source.onmessage = (event: MessageEvent<string>) => {
    received();
    listener.onChange(JSON.parse(event.data) as Change);
  };
  const open = (missed: (data: string) => boolean) => (event: MessageEvent<string>) => {
    received();
    listener.onOpen(missed(event.data));
    opened = true;
  };
  source.addEventListener("beat", received);
  source.addEventListener(
    "begin",
    open((data) => opened && data === '"new"'),
  );
  source.addEventListener(
    "reset",
    open(() => true),
  );
  const watch = setInterval(() => {
    if (since === null && Date.now() - receivedAt >= staleMs) listener.onStale((since = receivedAt));
  }, 1_000);
  return () => {
    clearInterval(watch);
    source.close();
  };
}
