// One server-sent stream a browser, shared by all its tabs: HTTP/1.1 allows six connections to a host, and a stream holds one.
// Tabs say {age} to join, "online" and "leave", and receive {change}, {open: missed}, {stale: since} and {stale: null}.
// See components/live/stream.ts.
const staleMs = 30_000;
// Changes kept for tabs that join later.
const maxKept = 1_000;
const ports = new Set();
let source;
let lastId = "";
let opened = false;
let heardAt = Date.now();
let stale = null;
let kept = [];
// Since when all changes were received or are on their way, and `kept` has them.
let completeSince = 0;

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

function keep(change) {
  kept.push({ at: Date.now(), change });
  if (kept.length > maxKept) completeSince = kept.shift().at + 1;
}

function open() {
  source?.close();
  // A connection of the browser's own retrying sends the id as a header; one opened anew has to name it.
  const begin = lastId ? `last_event_id=${encodeURIComponent(lastId)}` : `age=${Date.now() - completeSince}`;
  const mine = (source = new EventSource(`/api/changes?${begin}`));
  mine.onmessage = (event) => {
    heard(event);
    keep(event.data);
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
    kept = [];
    completeSince = Date.now();
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

function join(port, age) {
  ports.add(port);
  const from = Date.now() - age;
  if (!source) {
    heardAt = Date.now();
    stale = null;
    kept = [];
    completeSince = from;
    return open();
  }
  const isComplete = from >= completeSince;
  if (isComplete) for (const { at, change } of kept) if (at >= from) port.postMessage({ change });
  if (!isComplete || source.readyState === EventSource.OPEN) port.postMessage({ open: !isComplete });
  if (stale !== null) port.postMessage({ stale });
}

function leave(port) {
  ports.delete(port);
  if (ports.size > 0) return;
  source?.close();
  source = undefined;
  opened = false;
  lastId = "";
}

self.onconnect = ({ ports: [port] }) => {
  // A page of the version before this one does not say its age.
  const joining = setTimeout(() => join(port, 0), 1_000);
  port.onmessage = ({ data }) => {
    clearTimeout(joining);
    if (data === "leave") leave(port);
    else if (typeof data === "object") join(port, data.age);
    // A tab whose computer was told that the network is back, or woke up: do not wait for the next try.
    else if (data === "online" && source && source.readyState !== EventSource.OPEN) open();
  };
};
