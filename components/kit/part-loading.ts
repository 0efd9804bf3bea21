/** Loads what pages need later: a part that did not come is asked for again before that is shown. */

/** Milliseconds before the second try and before the third. */
const pausesMs = [500, 2_000];

/** A part that three tries did not bring. */
export class PartFailure extends Error {
  /** `isGone`: the server does not have it any more, because it was updated since the page was opened. */
  constructor(
    readonly isGone: boolean,
    cause: unknown,
  ) {
    super(isGone ? "Muster was updated. Reload the page." : "A part of this page could not be loaded.", { cause });
    this.name = "PartFailure";
  }
}

/** What loading does besides loading; the browser's own, other ones in tests. */
export interface LoadingMeans {
  /** Resolves after so many milliseconds. */
  pause: (ms: number) => Promise<void>;
  /** The status of a response to a HEAD request; null without a response. */
  readStatus: (address: string) => Promise<number | null>;
}

const browser: LoadingMeans = {
  pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  readStatus: (address) =>
    fetch(address, { method: "HEAD", cache: "no-store" }).then(
      ({ status }) => status,
      () => null,
    ),
};

/** The address that the loader of scripts names in its error; null for other errors. */
function findAddress(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== "ChunkLoadError") return null;
  return /\/_next\/[^\s"'?]+/.exec(error.message)?.[0] ?? null;
}

/** Whether an error says that a script did not come, rather than that it failed. */
export const isLoadFailure = (error: unknown): boolean => error instanceof PartFailure || findAddress(error) !== null;

/** Whether the server does not have a script any more; if so, pages show that it was updated. */
export async function noteIfGone(address: string, { readStatus }: LoadingMeans = browser): Promise<boolean> {
  const isGone = (await readStatus(address)) === 404;
  if (isGone) noteGone();
  return isGone;
}

/**
 * What `load` resolves to; called again, up to three times, when it rejects. Throws a PartFailure, at once for a part that
 * is gone. On the server, which has every part, it is called once.
 */
export async function loadPart<Part>(load: () => Promise<Part>, means: LoadingMeans = browser): Promise<Part> {
  if (typeof window === "undefined" && means === browser) return load();
  for (let tries = 0; ; tries++) {
    try {
      return await load();
    } catch (error) {
      const pause = pausesMs[tries];
      const address = findAddress(error);
      const isGone = address !== null && (await noteIfGone(address, means));
      if (isGone || pause === undefined) throw new PartFailure(isGone, error);
      await means.pause(pause);
    }
  }
}

let someAreGone = false;
const waiting = new Set<() => void>();

function noteGone(): void {
  someAreGone = true;
  for (const notify of waiting) notify();
}

/** Whether the server was updated under this page, so that parts of it are gone; with `subscribe` for changes. */
export const updated = {
  get: (): boolean => someAreGone,
  subscribe: (notify: () => void): (() => void) => {
    waiting.add(notify);
    return () => void waiting.delete(notify);
  },
};
