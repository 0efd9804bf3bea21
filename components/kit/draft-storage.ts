/** Unsaved work in the tab's own storage: it survives Back and a reload, and ends with the tab or the session. */

const prefix = "muster.draft:";

interface StoredDraft {
  /** When it was last changed, in milliseconds. */
  at: number;
  value: unknown;
}

const isStored = (value: unknown): value is StoredDraft =>
  typeof value === "object" && value !== null && "at" in value && typeof value.at === "number" && "value" in value;

/** What was kept under a key; null where there is nothing, or nothing that can be read. */
export function readDraft(key: string): StoredDraft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(prefix + key) ?? "null");
    return isStored(stored) ? stored : null;
  } catch {
    return null;
  }
}

/** Keeps a value; without storage, or when it is full, the page works on without it. */
export function writeDraft(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(prefix + key, JSON.stringify({ at: Date.now(), value }));
  } catch {
    // A browser that stores nothing still asks before the page is left.
  }
}

export function removeDraft(key: string): void {
  try {
    sessionStorage.removeItem(prefix + key);
  } catch {
    // See `writeDraft`.
  }
}

/** Removes every draft: they belong to one person and one organization. */
export function clearDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
  } catch {
    // See `writeDraft`.
  }
}
