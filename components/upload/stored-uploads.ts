/** An upload stored in this browser over a reload: its recording and the files it still needs. */
export interface StoredUpload {
  recordingUid: string;
  sessionUid: string;
  deviceName: string;
  name: string;
  files: { path: string; size: number }[];
  /** When it began (ms). */
  at: number;
}

const key = "muster.uploads";
/** The server deletes a recording without its files after this time. */
const maxAgeMs = 7 * 24 * 3_600_000;

const isStoredUpload = (value: unknown): value is StoredUpload =>
  typeof value === "object" &&
  value !== null &&
  "recordingUid" in value &&
  "files" in value &&
  Array.isArray(value.files) &&
  "at" in value;

/** The uploads that were interrupted, oldest first. */
export function readStoredUploads(): StoredUpload[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isStoredUpload).filter(({ at }) => Date.now() - at < maxAgeMs) : [];
  } catch {
    return [];
  }
}

function writeStoredUploads(list: readonly StoredUpload[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(list));
  } catch {
    // No room or no permission: after a reload the upload starts again.
  }
}

export const storeUpload = (upload: StoredUpload): void =>
  writeStoredUploads([
    ...readStoredUploads().filter(({ recordingUid }) => recordingUid !== upload.recordingUid),
    upload,
  ]);

export const removeStoredUpload = (recordingUid: string): void =>
  writeStoredUploads(readStoredUploads().filter((each) => each.recordingUid !== recordingUid));
