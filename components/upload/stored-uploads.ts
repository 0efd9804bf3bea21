/** An upload of a recording, stored in this browser over a reload, with the files it still needs. */
interface StoredRecording {
  kind?: undefined;
  recordingUid: string;
  sessionUid: string;
  deviceName: string;
  name: string;
  files: { path: string; size: number }[];
  /** When it began (ms). */
  at: number;
}

/** An upload to a dataset: the server knows its files by its sessions. */
interface StoredDatasetUpload {
  kind: "dataset";
  key: string;
  owner: string;
  slug: string;
  datasetName: string;
  name: string;
  fileCount: number;
  totalBytes: number;
  sessions: readonly string[];
  taken: "skip" | "rename" | null;
  at: number;
}

export type StoredUpload = StoredRecording | StoredDatasetUpload;

const key = "muster.uploads";
/** The server deletes a recording without its files, and ends the session of a dataset, after this time. */
const maxAgeMs = 7 * 24 * 3_600_000;

const isStoredUpload = (value: unknown): value is StoredUpload => {
  if (typeof value !== "object" || value === null || !("at" in value)) return false;
  if ("kind" in value) return value.kind === "dataset" && "sessions" in value && Array.isArray(value.sessions);
  return "recordingUid" in value && "files" in value && Array.isArray(value.files);
};

/** Identifies a stored upload. */
export const storedKey = (upload: StoredUpload): string =>
  upload.kind === "dataset" ? upload.key : upload.recordingUid;

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
  writeStoredUploads([...readStoredUploads().filter((each) => storedKey(each) !== storedKey(upload)), upload]);

export const removeStoredUpload = (stored: string): void =>
  writeStoredUploads(readStoredUploads().filter((each) => storedKey(each) !== stored));
