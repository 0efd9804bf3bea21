import { UploadFailed, type PutTarget } from "./put-file";
import type { UploadFile } from "./upload-files";
import type { OpenSession, RunningUpload, UploadTarget } from "./upload-target";

/** Files whose links are requested together: a request for each would count against the rate limit. */
const maxTogether = 50;
/** Files, and their bytes, that are confirmed together. */
const maxUnconfirmed = { files: 25, bytes: 8 * 1024 * 1024 };

type SignedUrl = Awaited<ReturnType<UploadTarget["urls"]>>["urls"][number];

function toTarget(link: SignedUrl | undefined): PutTarget {
  if (!link) throw new UploadFailed("The server returned no upload link.");
  const url = new URL(link.put_url, location.origin);
  const own = url.pathname.startsWith("/files/upload/");
  // The server's public name may differ from this page's origin; its own links are resolved against the page.
  return { url: own ? url.pathname + url.search : url.href, headers: link.headers, resumable: own };
}

/** The links of a session's files, requested some at a time, and the confirmations of those that arrived. */
export class SessionLinks {
  private readonly links = new Map<string, PutTarget>();
  private requested: Promise<void> = Promise.resolve();
  private unconfirmed: { file: UploadFile; etag: string }[] = [];
  private next = 0;

  constructor(
    private readonly target: UploadTarget,
    private readonly upload: RunningUpload,
    private readonly session: OpenSession,
  ) {}

  /** A link for a file; another one when it was given one before, which has expired. */
  async take({ path }: UploadFile): Promise<PutTarget> {
    // One request after the other, so that files that begin together share one.
    this.requested = this.requested.then(() => (this.links.has(path) ? undefined : this.request(path)));
    await this.requested;
    const link = this.links.get(path);
    this.links.delete(path);
    if (!link) throw new UploadFailed("The server returned no upload link.");
    return link;
  }

  private async request(path: string): Promise<void> {
    const { pending } = this.session;
    const paths = new Set([path]);
    for (; this.next < pending.length && paths.size < maxTogether; this.next++) {
      const file = pending[this.next];
      if (file?.state === "waiting" && !this.links.has(file.path)) paths.add(file.path);
    }
    const { urls } = await this.upload.call(() => this.target.urls(this.upload, this.session.uid, [...paths]));
    for (const url of urls) this.links.set(url.path, toTarget(url));
  }

  /** Notes that a file arrived, and confirms those that did once they are some. */
  async note(file: UploadFile, etag: string): Promise<void> {
    this.unconfirmed.push({ file, etag });
    const bytes = this.unconfirmed.reduce((sum, each) => sum + each.file.size, 0);
    if (this.unconfirmed.length >= maxUnconfirmed.files || bytes >= maxUnconfirmed.bytes) await this.confirm();
  }

  /** Confirms what arrived: an interrupted upload does not send it again. */
  async confirm(): Promise<void> {
    const batch = this.unconfirmed.splice(0);
    if (batch.length === 0) return;
    const { call } = this.upload;
    const claims = batch.map(({ file, etag }) => ({ path: file.path, etag, size_bytes: file.size }));
    await call(() => this.target.confirm(this.upload, this.session.uid, claims));
    for (const { file } of batch) this.upload.files.finish(file);
  }
}
