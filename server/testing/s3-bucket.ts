import { createHash, createHmac, randomBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** What an access key may do; the names are S3's own. */
export const s3Permissions = [
  "s3:ListBucket",
  "s3:GetObject",
  "s3:PutObject",
  "s3:DeleteObject",
  "s3:AbortMultipartUpload",
  "s3:ListBucketMultipartUploads",
] as const;
export type S3Permission = (typeof s3Permissions)[number];

interface AccessKey {
  secret: string;
  permissions: readonly S3Permission[];
}

/**
 * The part of S3 that a test of a bucket needs, with one bucket in memory, addressed by path. It verifies AWS Signature
 * Version 4 and the hash of each body from the request as received, and refuses what an access key is not permitted.
 */
export interface S3BucketServer {
  url: string;
  bucket: string;
  region: string;
  keys: Map<string, AccessKey>;
  objects: Map<string, Buffer>;
  /** How many uploads in parts were neither completed nor aborted. */
  openUploads: () => number;
  /** Received requests: method and object, without query. */
  asked: string[];
  /** Responds so to every request from now on; null: as S3 does. */
  respondWith: (respond: ((response: http.ServerResponse) => void) | null) => void;
  close: () => Promise<void>;
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest("hex");
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** The error code for a request as received, or null when its key, region, signature and body are right. */
function findFault(
  { method, url = "", headers }: http.IncomingMessage,
  body: Buffer,
  { keys, region }: Pick<S3BucketServer, "keys" | "region">,
): { status: number; code: string; more?: string } | AccessKey {
  const auth =
    /Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)/.exec(
      headers.authorization ?? "",
    );
  if (!auth) return { status: 403, code: "AccessDenied" };
  const [, id = "", date = "", signedRegion = "", signed = "", signature] = auth;
  const key = keys.get(id);
  if (!key) return { status: 403, code: "InvalidAccessKeyId" };
  if (signedRegion !== region)
    return { status: 400, code: "AuthorizationHeaderMalformed", more: `<Region>${region}</Region>` };
  const { pathname, searchParams } = new URL(url, "http://x");
  const query = [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const claimed = String(headers["x-amz-content-sha256"]);
  const lines = signed.split(";").map((name) => `${name}:${String(headers[name]).trim()}`);
  const canonical = [method, pathname, query, ...lines, "", signed, claimed].join("\n");
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], `${date}/${region}/s3/aws4_request`, sha256(canonical)].join(
    "\n",
  );
  const signing = hmac(hmac(hmac(hmac(`AWS4${key.secret}`, date), region), "s3"), "aws4_request");
  if (hmac(signing, text).toString("hex") !== signature) return { status: 403, code: "SignatureDoesNotMatch" };
  if (claimed !== "UNSIGNED-PAYLOAD" && claimed !== sha256(body))
    return { status: 400, code: "XAmzContentSHA256Mismatch" };
  return key;
}

async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Starts a server on a free port, with one access key that may do everything. */
export async function startS3Bucket(bucket = "fleet-bucket", region = "eu-test-1"): Promise<S3BucketServer> {
  const keys = new Map<string, AccessKey>([
    ["AKIDTEST", { secret: "a secret access key", permissions: s3Permissions }],
  ]);
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, string>();
  const asked: string[] = [];
  let instead: ((response: http.ServerResponse) => void) | null = null;
  const xml = (response: http.ServerResponse, status: number, body: string) =>
    void response.writeHead(status, { "content-type": "application/xml" }).end(`<?xml version="1.0"?>${body}`);

  async function respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await readBody(request);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const [, bucketName = "", ...segments] = pathname.split("/");
    const name = segments.map(decodeURIComponent).join("/");
    const method = request.method ?? "";
    asked.push(`${method} ${name}`);
    if (instead) return instead(response);
    const key = findFault(request, body, { keys, region });
    const refuse = (status: number, code: string, more = "") =>
      xml(response, status, `<Error><Code>${code}</Code><Message>No.</Message>${more}</Error>`);
    if ("code" in key) return refuse(key.status, key.code, key.more);
    const may = (permission: S3Permission): boolean => {
      if (key.permissions.includes(permission)) return true;
      refuse(403, "AccessDenied");
      return false;
    };
    if (bucketName !== bucket) return refuse(404, "NoSuchBucket");
    const uploadId = searchParams.get("uploadId");
    if (name === "" && searchParams.has("uploads")) {
      if (may("s3:ListBucketMultipartUploads")) xml(response, 200, "<ListMultipartUploadsResult/>");
    } else if (name === "") {
      const found = [...objects.keys()].filter((each) => each.startsWith(searchParams.get("prefix") ?? ""));
      if (may("s3:ListBucket"))
        xml(response, 200, `<ListBucketResult><KeyCount>${found.length}</KeyCount></ListBucketResult>`);
    } else if (method === "POST" && searchParams.has("uploads")) {
      if (!may("s3:PutObject")) return;
      const id = randomBytes(9).toString("hex");
      uploads.set(id, name);
      xml(response, 200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    } else if (method === "DELETE" && uploadId !== null) {
      if (!may("s3:AbortMultipartUpload")) return;
      if (!uploads.delete(uploadId)) return refuse(404, "NoSuchUpload");
      response.writeHead(204).end();
    } else if (method === "PUT") {
      if (!may("s3:PutObject")) return;
      if (uploadId !== null && !uploads.has(uploadId)) return refuse(404, "NoSuchUpload");
      if (uploadId === null) objects.set(name, body);
      response.writeHead(200, { etag: `"${createHash("md5").update(body).digest("hex")}"` }).end();
    } else if (method === "DELETE") {
      if (!may("s3:DeleteObject")) return;
      objects.delete(name);
      response.writeHead(204).end();
    } else {
      const stored = objects.get(name);
      if (!may("s3:GetObject")) return;
      if (!stored) return refuse(404, "NoSuchKey");
      const etag = `"${createHash("md5").update(stored).digest("hex")}"`;
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const part = first === undefined ? stored : stored.subarray(Number(first), Number(last) + 1);
      const headers = { etag, "last-modified": new Date(0).toUTCString(), "content-length": part.length };
      if (first === undefined) response.writeHead(200, headers).end(part);
      else
        response.writeHead(206, { ...headers, "content-range": `bytes ${first}-${last}/${stored.length}` }).end(part);
    }
  }

  const server = http.createServer(
    (request, response) => void respond(request, response).catch(() => request.socket.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    region,
    keys,
    objects,
    asked,
    openUploads: () => uploads.size,
    respondWith: (respondInstead) => void (instead = respondInstead),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
