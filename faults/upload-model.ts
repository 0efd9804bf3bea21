import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type pg from "pg";
import { beginUpload, type RawUpload } from "@/faults/sender";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";

const as = <T extends string>(name: T) => ({ do: fc.constant(name) });
const web = fc.nat(1);
const body = {
  web,
  content: fc.nat(2),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  breaks: fc.boolean(),
  waits: fc.boolean(),
};
export const uploadStep = fc.oneof(
  { weight: 15, arbitrary: fc.record({ ...as("put"), ...body }) },
  { weight: 6, arbitrary: fc.record({ ...as("put both"), first: fc.nat(2), second: fc.nat(2) }) },
  { weight: 12, arbitrary: fc.record({ ...as("continue"), ...body }) },
  { weight: 9, arbitrary: fc.record({ ...as("confirm"), web, content: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ ...as("finalize"), web }) },
  { weight: 3, arbitrary: fc.record({ ...as("init"), web }) },
  { weight: 1, arbitrary: fc.record({ ...as("delete"), web }) },
);
type Value<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type UploadStep = Value<typeof uploadStep>;

export interface Site {
  /** Two web processes on one database and one store. */
  urls: readonly [string, string];
  key: string;
  /** Of a person's session, whose links lead through Muster whatever the store is. */
  cookie: string;
  database: pg.Pool;
  device: string;
  /** The tag that the store gives to a file. */
  computeTag: (bytes: Uint8Array) => string;
}

interface Reply {
  /** 0 when there was no response. */
  status: number;
  etag: string | undefined;
  received: number;
}

/** Counts of responses by step and status. */
export type Tally = Map<string, number>;

/** An upload of one file by clients that know nothing of each other, through either process. */
export class UploadModel {
  private readonly contents: Buffer[];
  private readonly running: Promise<unknown>[] = [];
  private readonly faults: string[] = [];
  private confirmed: number | null = null;
  private finalized = false;
  private deleted = false;

  private constructor(
    private readonly site: Site,
    private readonly upload: RawUpload,
    private readonly size: number,
    private readonly tally: Tally,
  ) {
    this.contents = [0, 1, 2].map(() => randomBytes(size));
  }

  static async begin(site: Site, size: number, tally: Tally): Promise<UploadModel> {
    const call = async <T>(method: string, at: string, given?: unknown): Promise<T> => {
      const response = await request(site, 0, method, at, given);
      if (!response.ok) throw new Error(`${method} ${at} responded ${response.status}: ${await response.text()}`);
      return (await response.json()) as T;
    };
    const upload = await beginUpload(call, site.urls[0], site.device, size);
    return new UploadModel(site, { ...upload, link: await fetchLink(site, upload) }, size, tally);
  }

  private note(step: string, status: number): void {
    const name = `${step} ${status === 0 ? "none" : status}`;
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  /** Complains about a response that the contract does not have. After a deletion everything may be 404. */
  private expect(step: string, status: number, allowed: readonly number[]): void {
    this.note(step, status);
    if (!allowed.includes(status) && !(this.deleted && status === 404)) this.faults.push(`${step} responded ${status}`);
  }

  private async put(n: number, content: number, start: number, end: number, breaks: boolean): Promise<void> {
    const bytes = this.contents[content]!;
    const whole = end === this.size;
    const reply = await send(
      this.site.urls[n]!,
      this.upload,
      bytes.subarray(start, end),
      {
        ...{ "content-length": this.size - start },
        ...(start > 0 && { "content-range": `bytes ${start}-${this.size - 1}/${this.size}` }),
      },
      breaks || !whole,
    );
    // Without a response only when the client broke off, or closed by a process that refuses the rest of the body.
    const allowed = breaks || !whole ? [0, 308, 400, 409] : [200, 308, 409];
    this.expect(start > 0 ? "continue" : "put", reply.status, whole ? [...allowed, 200] : allowed);
    if (reply.status === 200 && start === 0 && reply.etag !== this.site.computeTag(bytes))
      this.faults.push("the returned tag is not that of the bytes sent");
  }

  private async resume(step: Extract<UploadStep, { do: "continue" }>): Promise<void> {
    const range = { "content-length": 0, "content-range": `bytes */${this.size}` };
    const probe = await send(this.site.urls[step.web]!, this.upload, Buffer.alloc(0), range, false);
    this.expect("probe", probe.status, [200, 308, 409]);
    if (probe.status !== 308) return;
    const end = step.breaks ? probe.received + Math.floor((this.size - probe.received) * step.share) : this.size;
    await this.put(step.web, step.content, probe.received, end, step.breaks);
  }

  private async confirm(n: number, content: number): Promise<number> {
    const files = [{ path: "a.mcap", etag: this.site.computeTag(this.contents[content]!), size_bytes: this.size }];
    const claim = { session_uid: this.upload.session, files };
    const { status } = await request(this.site, n, "POST", `${this.at}/upload/confirm/`, claim);
    // A finalized upload refuses a claim of another tag or any claim.
    this.expect("confirm", status, [200, 400, 409]);
    if (status !== 200) return status;
    if (this.confirmed !== null && this.confirmed !== content) this.faults.push("a second content was confirmed");
    this.confirmed ??= content;
    return status;
  }

  private get at(): string {
    return `/fleet/recordings/${this.upload.recording}`;
  }

  private async finalize(n: number): Promise<void> {
    const claim = { session_uid: this.upload.session };
    const { status } = await request(this.site, n, "POST", `${this.at}/upload/finalize/`, claim);
    this.expect("finalize", status, [200, 400, 409]);
    if (status === 200 && this.confirmed === null) this.faults.push("finalized without a confirmed file");
    if (status === 200) this.finalized = true;
  }

  async run(step: UploadStep): Promise<void> {
    if (step.do === "put") {
      const end = step.breaks ? Math.floor(this.size * step.share) : this.size;
      await this.start(this.put(step.web, step.content, 0, end, step.breaks), step.waits);
    } else if (step.do === "put both") {
      const both = [this.put(0, step.first, 0, this.size, false), this.put(1, step.second, 0, this.size, false)];
      await this.start(Promise.all(both), true);
    } else if (step.do === "continue") await this.start(this.resume(step), step.waits);
    else if (step.do === "confirm") await this.confirm(step.web, step.content);
    else if (step.do === "finalize") await this.finalize(step.web);
    else if (step.do === "init") {
      const files = [{ path: "a.mcap", size_bytes: this.size }];
      const { status } = await request(this.site, step.web, "POST", `${this.at}/upload/init/`, { files });
      this.expect("init", status, [200, 201, 400, 409]);
    } else {
      this.deleted = true;
      const { status } = await request(this.site, step.web, "DELETE", `${this.at}/`);
      this.expect("delete", status, [204]);
    }
  }

  private async start(work: Promise<unknown>, waits: boolean): Promise<void> {
    this.running.push(work);
    if (waits) await work;
    else await sleep(5);
  }

  /** Ends what runs, uploads and confirms the file unless it is, and compares the stored bytes with the confirmed. */
  async conclude(): Promise<void> {
    await Promise.all(this.running);
    if (!this.deleted) {
      if (this.confirmed === null) {
        await this.put(1, 0, 0, this.size, false);
        const status = await this.confirm(0, 0);
        if (status !== 200) this.faults.push(`the last upload could not be confirmed: ${status}`);
      }
      await this.put(0, 1, 0, this.size, false);
      if (!this.finalized) await this.finalize(1);
      await this.check();
    }
    if (this.faults.length > 0) throw new Error(this.faults.join("; "));
  }

  private async check(): Promise<void> {
    const wanted = this.contents[this.confirmed ?? 0]!;
    const rows = await queryRows(
      this.site.database,
      { etag: nullable(text), count: int4 },
      "select etag, count(*)::int as count from stored_files where recording_id = $1 group by etag",
      [this.upload.recording],
    );
    if (rows.length !== 1 || rows[0]?.etag !== this.site.computeTag(wanted))
      this.faults.push(`the row has ${JSON.stringify(rows)}`);
    for (const n of [0, 1]) {
      const listed = await request(this.site, n, "GET", `${this.at}/files/`);
      const { results } = (await listed.json()) as { results: { download_url: string }[] };
      const url = new URL(results[0]?.download_url ?? "", this.site.urls[n]);
      const own = url.pathname.startsWith("/files/") ? `${this.site.urls[n]}${url.pathname}${url.search}` : url;
      const response = await fetch(own);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!bytes.equals(wanted))
        this.faults.push(`process ${n} serves ${bytes.length} other bytes (${response.status})`);
    }
  }
}

/** The link that a browser gets. */
async function fetchLink({ urls, cookie }: Site, { recording, session }: RawUpload): Promise<string> {
  const response = await fetch(`${urls[0]}/api/trpc/recordings.upload.urls`, {
    method: "POST",
    headers: { cookie, "sec-fetch-site": "same-origin", "content-type": "application/json" },
    body: JSON.stringify({ uid: recording, session_uid: session, file_paths: ["a.mcap"] }),
  });
  if (!response.ok) throw new Error(`the link responded ${response.status}: ${await response.text()}`);
  const { result } = (await response.json()) as { result: { data: { urls: { put_url: string }[] } } };
  const { pathname, search } = new URL(result.data.urls[0]?.put_url ?? "", urls[0]);
  return pathname + search;
}

const request = ({ urls, key }: Site, n: number, method: string, at: string, given?: unknown): Promise<Response> =>
  fetch(`${urls[n]}/api/v1${at}`, {
    method,
    headers: { "content-type": "application/json", "x-service-api-key": key },
    ...(given !== undefined && { body: JSON.stringify(given) }),
  });

/** PUTs the bytes; with `breaks`, closes the connection after them. */
async function send(
  origin: string,
  { link }: RawUpload,
  bytes: Uint8Array,
  headers: http.OutgoingHttpHeaders,
  breaks: boolean,
): Promise<Reply> {
  const client = http.request(`${origin}${link}`, { method: "PUT", headers });
  client.on("error", () => {});
  const replied = new Promise<Reply>((resolve) => {
    client.once("response", (response) => {
      response.resume();
      const received = Number(/^bytes=0-(\d+)$/.exec(response.headers.range ?? "")?.[1] ?? -1) + 1;
      resolve({ status: response.statusCode ?? 0, etag: response.headers.etag, received });
    });
    client.once("close", () => resolve({ status: 0, etag: undefined, received: 0 }));
  });
  if (!breaks) client.end(bytes);
  else {
    if (bytes.length > 0) client.write(bytes);
    else client.flushHeaders();
    await Promise.race([sleep(20), replied]);
    client.destroy();
    if (!client.closed) await once(client, "close").catch(() => {});
  }
  return replied;
}
