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

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(new DOMException("not needed any more", "AbortError"));
      },
      { once: true },
    );
  });

/** What was loaded, or why there is nothing: no such picture, its bucket is not connected, or it could not be fetched. */
export type LoadedMedia = Blob | "missing" | "disconnected" | "failed";

/**
 * Loads a picture in turn with all others of the page. Rejects when `signal` aborts, which also ends a request that is
 * under way. A server that is busy is asked again when it says.
 */
export async function loadMedia(href: string, signal: AbortSignal): Promise<LoadedMedia> {
  signal.throwIfAborted();
  await takePlace(signal);
  try {
    for (;;) {
      const response = await fetch(href, { signal });
      if (response.ok) return await response.blob();
      if (response.status === 410) return "disconnected";
      if (response.status === 404) return "missing";
      if (response.status !== 429 && response.status !== 503) return "failed";
      await pause(1_000 * Math.max(1, Number(response.headers.get("retry-after")) || 1), signal);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    return "failed";
  } finally {
    returnPlace();
  }
}
