/** The target of a file's bytes, as returned by `upload.urls`. */
export interface PutTarget {
  url: string;
  headers: Record<string, string>;
  /** Our own server reports how far an earlier attempt got; a bucket's links do not. */
  resumable: boolean;
}

export interface Sending {
  file: File;
  /** Nothing of it was sent before: the server is not asked how far an earlier attempt got. */
  isFresh?: boolean;
  /** What is said when the server no longer knows what the file belongs to. */
  deletedText: string;
  /** A link to send to; requested again when one has expired. */
  target: () => Promise<PutTarget>;
  signal: AbortSignal;
  /** Bytes of the file that are being sent or were received. */
  onProgress: (bytes: number) => void;
  /** No connection or server: the reason, and when (ms) the next attempt is. Null: sending again. */
  onWaiting: (waiting: { reason: string; until: number } | null) => void;
}

/** An error that retrying does not resolve. */
export class UploadFailed extends Error {}

interface Response {
  status: number;
  etag: string | null;
  range: string | null;
  retryAfter: number;
  detail: string | null;
}

const maxWaitMs = 30_000;
/** Consecutive refusals after which the upload fails. */
const maxRefusals = 6;

/**
 * Sends a file's bytes from where an earlier attempt ended until all are received: across lost connections without
 * limit, after refusals a few times. Resolves to the entity tag. The file is read from disk as it is sent,
 * never held in memory.
 */
export async function putFile(sending: Sending): Promise<string> {
  const { file, deletedText, target, signal, onProgress, onWaiting } = sending;
  let link = await target();
  let { isFresh = false } = sending;
  let [tries, refusals, maxConfirmed] = [0, 0, 0];
  const onConfirmed = (bytes: number) => {
    // Only bytes that the server confirmed count as progress: those handed to the network may be lost.
    if (bytes > maxConfirmed) [maxConfirmed, tries, refusals] = [bytes, 0, 0];
  };
  for (;;) {
    signal.throwIfAborted();
    await requireReadable(file);
    const known = isFresh ? { ...link, resumable: false } : link;
    isFresh = false;
    const response = await attempt(file, known, signal, onProgress, onConfirmed);
    signal.throwIfAborted();
    if (response?.status === 200 && response.etag) return response.etag;
    if (response?.status === 404) throw new UploadFailed(deletedText);
    if (response && response.status !== 308 && ++refusals > maxRefusals) {
      throw new UploadFailed(response.detail ?? `The server answered ${response.status}.`);
    }
    const reason = response ? (response.detail ?? "The upload ended early.") : "No connection.";
    const wait = Math.max(Math.min(maxWaitMs, 1_000 * 2 ** Math.min(tries++, 5)), (response?.retryAfter ?? 0) * 1_000);
    onWaiting({ reason, until: Date.now() + wait });
    await pause(wait, signal);
    onWaiting(null);
    if (response?.status === 403) link = await target();
  }
}

/** Waits; ends early when the browser reports that the network is back. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}

/**
 * A file that was moved or changed since it was chosen can no longer be read; that looks like a lost connection
 * otherwise.
 */
async function requireReadable(file: File): Promise<void> {
  if (!(await isReadable(file)))
    throw new UploadFailed(`${file.name} can no longer be read: it was moved or changed. Choose it again.`);
}

/** Whether a file that was chosen can still be read. */
export const isReadable = (file: File): Promise<boolean> =>
  file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );

/** One attempt: requests how far the upload got, then sends the rest. Null: no response. */
async function attempt(
  file: File,
  link: PutTarget,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
  onConfirmed: (bytes: number) => void,
): Promise<Response | null> {
  let start = 0;
  if (link.resumable) {
    const state = await put(link, { "content-range": `bytes */${file.size}` }, null, signal, () => {});
    if (state?.status !== 308) return state;
    start = Number(/^bytes=0-(\d+)$/.exec(state.range ?? "")?.[1] ?? -1) + 1;
    onConfirmed(start);
  }
  onProgress(start);
  const headers: Record<string, string> =
    start > 0 ? { "content-range": `bytes ${start}-${file.size - 1}/${file.size}` } : {};
  return put(link, headers, file.slice(start), signal, (sent) => onProgress(start + sent));
}

function put(
  { url, headers: own }: PutTarget,
  headers: Record<string, string>,
  body: Blob | null,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<Response | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open("PUT", url);
    for (const [name, value] of Object.entries({ ...own, ...headers })) {
      // The browser sets these itself; scripts may not.
      if (!/^(content-length|host)$/i.test(name)) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onloadend = () => {
      signal.removeEventListener("abort", abort);
      if (request.status === 0) return resolve(null);
      resolve({
        status: request.status,
        etag: request.getResponseHeader("etag"),
        range: request.getResponseHeader("range"),
        retryAfter: Number(request.getResponseHeader("retry-after") ?? 0) || 0,
        detail: readDetail(request.responseText),
      });
    };
    signal.addEventListener("abort", abort);
    request.send(body);
  });
}

function readDetail(text: string): string | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "detail" in parsed ? String(parsed.detail) : null;
  } catch {
    return null;
  }
}
