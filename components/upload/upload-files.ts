/** One file of an upload. */
export interface UploadFile {
  path: string;
  readonly size: number;
  /** The file on disk; undefined after a reload, until the person chooses it again. */
  file: File | undefined;
  sent: number;
  state: "waiting" | "sending" | "done";
}

/** A file that was not sent, with the reason. */
export interface RefusedFile {
  path: string;
  reason: string;
}

/** How far the files of an upload are: what screens show, without a list of a hundred thousand files. */
export interface UploadProgress {
  fileCount: number;
  totalBytes: number;
  sentBytes: number;
  doneFiles: number;
  /** Files that are being sent, or wait at the front, at most a few. */
  open: readonly Readonly<Pick<UploadFile, "path" | "size" | "sent" | "state">>[];
  /** The first files that were not sent, and how many there are. */
  refused: readonly RefusedFile[];
  refusedFiles: number;
}

const maxShown = 6;
const maxRefused = 1_000;

/** The files of one upload, which are changed in place, with their sums. */
export class UploadFiles {
  private readonly files = new Map<string, UploadFile>();
  private readonly sending = new Set<UploadFile>();
  private readonly refused: RefusedFile[] = [];
  private refusedFiles = 0;
  private totalBytes = 0;
  private sentBytes = 0;
  private doneFiles = 0;

  constructor(files: Iterable<Pick<UploadFile, "path" | "size" | "file">>) {
    for (const { path, size, file } of files) {
      this.files.set(path, { path, size, file, sent: 0, state: "waiting" });
      this.totalBytes += size;
    }
  }

  get count(): number {
    return this.files.size;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  get sent(): number {
    return this.sentBytes;
  }

  list(): UploadFile[] {
    return [...this.files.values()];
  }

  has(path: string): boolean {
    return this.files.has(path);
  }

  change(
    file: UploadFile,
    { sent = file.sent, state = file.state }: Partial<Pick<UploadFile, "sent" | "state">>,
  ): void {
    this.sentBytes += sent - file.sent;
    this.doneFiles += Number(state === "done") - Number(file.state === "done");
    file.sent = sent;
    file.state = state;
    if (state === "sending") this.sending.add(file);
    else this.sending.delete(file);
  }

  finish(file: UploadFile): void {
    this.change(file, { sent: file.size, state: "done" });
  }

  /** What was under way waits again, as after a failure. */
  reset(): void {
    for (const file of this.sending) this.change(file, { sent: 0, state: "waiting" });
  }

  /** Takes a file out; with a reason it is named among those that were not sent. */
  remove(file: UploadFile, reason?: string): void {
    if (!this.files.delete(file.path)) return;
    this.totalBytes -= file.size;
    this.sentBytes -= file.sent;
    this.doneFiles -= Number(file.state === "done");
    this.sending.delete(file);
    if (reason === undefined) return;
    this.refusedFiles += 1;
    if (this.refused.length < maxRefused) this.refused.push({ path: file.path, reason });
  }

  rename(file: UploadFile, path: string): void {
    this.files.delete(file.path);
    file.path = path;
    this.files.set(path, file);
  }

  read(): UploadProgress {
    const open: UploadFile[] = [...this.sending].slice(0, maxShown);
    if (open.length < maxShown && this.files.size <= 1_000)
      open.push(
        ...[...this.files.values()].filter(({ state }) => state === "waiting").slice(0, maxShown - open.length),
      );
    return {
      fileCount: this.files.size,
      totalBytes: this.totalBytes,
      sentBytes: this.sentBytes,
      doneFiles: this.doneFiles,
      open: open.map(({ path, size, sent, state }) => ({ path, size, sent, state })),
      refused: this.refused.slice(),
      refusedFiles: this.refusedFiles,
    };
  }
}

/** The progress of an upload whose files are not known before they are chosen again. */
export const unknownProgress = (fileCount: number, totalBytes: number): UploadProgress => ({
  fileCount,
  totalBytes,
  sentBytes: 0,
  doneFiles: 0,
  open: [],
  refused: [],
  refusedFiles: 0,
});
