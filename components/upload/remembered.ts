/** An upload as this browser remembers it over a reload: which recording, and which files it still wants. */
export interface Remembered {
  recordingUid: string;
  sessionUid: string;
  deviceName: string;
  name: string;
  files: { path: string; size: number }[];
  /** When it began (ms). */
  at: number;
}

const key = "muster.uploads";
/** A recording without its files is given up by the server after as long. */
const maxAgeMs = 7 * 24 * 3_600_000;

const isRemembered = (value: unknown): value is Remembered =>
  typeof value === "object" &&
  value !== null &&
  "recordingUid" in value &&
  "files" in value &&
  Array.isArray(value.files) &&
  "at" in value;

/** The uploads that were interrupted, oldest first. */
export function rememberedUploads(): Remembered[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isRemembered).filter(({ at }) => Date.now() - at < maxAgeMs) : [];
  } catch {
    return [];
  }
}

function store(list: readonly Remembered[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // No room or no permission: a reload then begins anew.
  }
}

export const remember = (upload: Remembered): void =>
  store([...rememberedUploads().filter(({ recordingUid }) => recordingUid !== upload.recordingUid), upload]);

export const forget = (recordingUid: string): void =>
  store(rememberedUploads().filter((each) => each.recordingUid !== recordingUid));
