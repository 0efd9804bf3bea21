// One server-sent stream a browser, shared by all its tabs: HTTP/1.1 allows six connections to a host, and a stream holds one.
// Tabs are told: {change}, {open: missed}, {stale: since} and {stale: null}. See components/live/stream.ts.
const staleMs = 30_000;
const ports = new Set();
let source;
let lastId = "";
let opened = false;
let heardAt = Date.now();
let stale = null;

const tell = (message) => {
  for (const port of ports) port.postMessage(message);
};

function heard(event) {
  heardAt = Date.now();
  if (event.lastEventId) lastId = event.lastEventId;
  if (stale === null) return;
  stale = null;
  tell({ stale });
}

function open() {
  source?.close();
  // A connection of the browser's own retrying sends the id as a header; one opened anew has to name it.
  const mine = (source = new EventSource(`/api/changes${lastId ? `?last_event_id=${encodeURIComponent(lastId)}` : ""}`));
  mine.onmessage = (event) => {
    heard(event);
    tell({ change: event.data });
  };
  mine.addEventListener("beat", heard);
  // Nothing was missed on the first opening, nor when the stream went on where it ended.
  mine.addEventListener("begin", (event) => {
    heard(event);
    tell({ open: opened && event.data === '"new"' });
    opened = true;
  });
  mine.addEventListener("reset", (event) => {
    heard(event);
    tell({ open: true });
    opened = true;
  });
  // A refused stream (signed out, or no server behind the proxy) is closed for good by the browser; try again slowly.
  mine.onerror = () => {
    if (mine !== source || mine.readyState !== EventSource.CLOSED) return;
    setTimeout(() => mine === source && ports.size > 0 && open(), 5_000);
  };
}

setInterval(() => {
  if (ports.size === 0 || !source) return;
  const silent = Date.now() - heardAt;
  if (silent >= staleMs && stale === null) {
    stale = heardAt;
    tell({ stale });
  }
  // A connection may be dead without anyone having said so: after a while a new one takes its place, again and again.
  if (silent >= staleMs && silent % 10_000 < 1_000) open();
}, 1_000);

function leave(port) {
  ports.delete(port);
  if (ports.size > 0) return;
  source?.close();
  source = undefined;
  opened = false;
  lastId = "";
}

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data === "leave") leave(port);
    // A tab whose computer was told that the network is back, or woke up: do not wait for the next try.
    else if (data === "online" && source && source.readyState !== EventSource.OPEN) open();
  };
  if (!source) {
    heardAt = Date.now();
    stale = null;
    open();
  } else {
    if (source.readyState === EventSource.OPEN) port.postMessage({ open: false });
    if (stale !== null) port.postMessage({ stale });
  }
};
