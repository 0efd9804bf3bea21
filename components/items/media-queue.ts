/** How many media the page loads concurrently: browsers open six connections to a server, and others need one too. */
const maxConcurrent = 5;

let active = 0;
const waiting: (() => void)[] = [];

function takePlace(signal: AbortSignal): Promise<void> {
  if (active < maxConcurrent) {
    active++;
    return Promise.resolve();
  }
  return new Promise((resolve, reject) => {
    const start = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(new DOMException("not needed any more", "AbortError"));
    };
    waiting.push(start);
    signal.addEventListener("abort", leave, { once: true });
  });
}

function returnPlace(): void {
  const next = waiting.shift();
  if (next) next();
  else active--;
}

/** That the server wants to be left alone, for so many seconds from when it said so. */
export interface Busy {
  seconds: number;
  /** In milliseconds of the page. */
  until: number;
}

let busy: Busy | null = null;
const watchers = new Set<() => void>();

/** For how long no picture is asked for, since the server is busy; null while it answers. */
export const readBusy = (): Busy | null => busy;

/** Calls `watcher` when the server becomes busy, and when it is asked again. */
export function watchBusy(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

function setBusy(next: Busy | null): void {
  busy = next;
  for (const watcher of watchers) watcher();
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(new DOMException("not needed any more", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", leave);
      resolve();
    }, ms);
    signal.addEventListener("abort", leave, { once: true });
  });

/** Waits until the server may be asked again. */
async function waitWhileBusy(signal: AbortSignal): Promise<void> {
  while (busy !== null) {
    const left = busy.until - performance.now();
    if (left <= 0) return setBusy(null);
    await pause(left, signal);
  }
}

/** What was loaded, or why there is nothing: no such picture, its bucket is not connected, or it could not be fetched. */
export type LoadedMedia = Blob | "missing" | "disconnected" | "failed";

/**
 * Loads a picture in turn with all others of the page. Rejects when `signal` aborts, which also ends a request that is
 * under way. While the server is busy none is asked for, until it says.
 */
export async function loadMedia(href: string, signal: AbortSignal): Promise<LoadedMedia> {
  signal.throwIfAborted();
  await takePlace(signal);
  try {
    for (;;) {
      await waitWhileBusy(signal);
      const response = await fetch(href, { signal });
      if (response.ok) return await response.blob();
      if (response.status === 410) return "disconnected";
      if (response.status === 404) return "missing";
      if (response.status !== 429 && response.status !== 503) return "failed";
      const seconds = Math.max(1, Number(response.headers.get("retry-after")) || 1);
      const until = performance.now() + 1_000 * seconds;
      if (busy === null || until > busy.until) setBusy({ seconds, until });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return "failed";
  } finally {
    returnPlace();
  }
}
