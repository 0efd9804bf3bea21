// One server-sent stream a browser, shared by all its tabs: HTTP/1.1 allows six connections to a host, and a stream holds one.
const ports = new Set();
let source;

function open() {
  source = new EventSource("/api/changes");
  source.onmessage = (event) => {
    for (const port of ports) port.postMessage(event.data);
  };
  source.onopen = () => {
    for (const port of ports) port.postMessage(null);
  };
  // A refused stream (signed out) is closed for good by the browser; try again slowly, for the session may come back.
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => ports.size > 0 && open(), 10_000);
  };
}

self.onconnect = ({ ports: [port] }) => {
  ports.add(port);
  port.onmessage = ({ data }) => {
    if (data !== "leave") return;
    ports.delete(port);
    if (ports.size === 0) {
      source?.close();
      source = undefined;
    }
  };
  if (!source) open();
  else if (source.readyState === EventSource.OPEN) port.postMessage(null);
};
