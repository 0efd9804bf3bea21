/** What the server says of a change: what kind of thing, which one, what happened to it. */
export interface Change {
  kind: string;
  uid: string;
  action: "created" | "updated" | "deleted";
}

export interface StreamListener {
  onChange: (change: Change) => void;
  /** The stream opened (again): what was missed meanwhile has to be fetched. */
  onOpen: () => void;
}

/**
 * Listens to the organization's changes; returns how to stop. All tabs of a browser share one connection through a SharedWorker,
 * because HTTP/1.1 allows six to a host; a browser without one gets a connection a tab.
 */
export function listen(organizationUid: string, listener: StreamListener): () => void {
  const receive = (data: string | null) => {
    if (data === null) listener.onOpen();
    else listener.onChange(JSON.parse(data) as Change);
  };
  if (typeof SharedWorker === "undefined") {
    const source = new EventSource("/api/changes");
    source.onmessage = (event: MessageEvent<string>) => receive(event.data);
    source.onopen = () => receive(null);
    return () => source.close();
  }
  // One worker an organization: after a switch, tabs that still show the other one keep their own stream.
  const { port } = new SharedWorker("/changes-worker.js", { name: `muster changes ${organizationUid}` });
  port.onmessage = (event: MessageEvent<string | null>) => receive(event.data);
  const leave = () => port.postMessage("leave");
  addEventListener("pagehide", leave);
  return () => {
    removeEventListener("pagehide", leave);
    leave();
    port.close();
  };
}
