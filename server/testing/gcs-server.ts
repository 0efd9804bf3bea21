import { createHash, createVerify, generateKeyPairSync, randomBytes } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { computeEtag } from "@/server/testing/stored-files";

/** A fault injected into one request. */
export interface Fault {
  /** How many bytes of an upload's part are stored nevertheless; all of them if only `silent` is set. */
  keep?: number;
  /** The status of the response; without one, the response is the usual one for the stored bytes. */
  status?: number;
  /** The connection breaks instead of a response. */
  broken?: boolean;
  /** The response to an upload's part is 308 without the number of stored bytes. */
  silent?: boolean;
}

interface StoredInGcs {
  bytes: Buffer;
  type: string;
  at: Date;
}

interface Session {
  name: string;
  total: number;
  type: string;
  chunks: Buffer[];
  state: "open" | "done" | "cancelled";
}

/**
 * The part of Google Cloud Storage that an object store needs, with one bucket in memory. It verifies what the real
 * service does: token requests, tokens, signed URLs, content ranges, sizes.
 */
export interface GcsServer {
  url: string;
  bucket: string;
  /** The content of the service account's key file. */
  keyFile: string;
  objects: Map<string, StoredInGcs>;
  /** Received requests: method, then path without query. */
  asked: string[];
  /** How many tokens it issued. */
  tokens: () => number;
  /** How many uploads in parts were neither completed nor cancelled. */
  openUploads: () => number;
  /** Injects a fault into the next matching request. The returned function tells whether there was one. */
  fault: (matches: (request: http.IncomingMessage) => boolean, fault: Fault) => () => boolean;
  /** Revokes every token issued so far. */
  revokeTokens: () => void;
  /** Sets whether the key file's key belongs to the account. */
  knowKey: (known: boolean) => void;
  close: () => Promise<void>;
}

const tokenAudience = "https://oauth2.googleapis.com/token";
const quantum = 256 * 1024;
const pageSize = 2;

/** Percent-encoding as canonical requests have it, byte by byte: letters, digits and -_.~ stay. */
const canonicalText = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) =>
      /[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    )
    .join("");

const queryPairs = (query: string): [string, string][] =>
  query
    .split("&")
    .filter(Boolean)
    .map((pair) => {
      const [name = "", value = ""] = pair.split("=");
      return [decodeURIComponent(name), decodeURIComponent(value)];
    });

/** Returns the XML API's error for the signed URL of a request as received, or null if its signature is valid. */
function findSignatureError(
  { method, url = "", headers }: Pick<http.IncomingMessage, "method" | "url" | "headers">,
  { account, publicKey, now }: { account: string; publicKey: string; now: number },
): [status: number, code: string] | null {
  const [path = "", rawQuery = ""] = url.split("?");
  const pairs = queryPairs(rawQuery);
  const parameters = new Map(pairs);
  const value = (name: string) => parameters.get(name) ?? "";
  if (value("X-Goog-Algorithm") !== "GOOG4-RSA-SHA256") return [400, "InvalidArgument"];
  const date = value("X-Goog-Date");
  const scope = `${date.slice(0, 8)}/auto/storage/goog4_request`;
  if (value("X-Goog-Credential") !== `${account}/${scope}`) return [403, "AccessDenied"];
  const seconds = Number(value("X-Goog-Expires"));
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > 604_800) return [400, "InvalidArgument"];
  const since = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!(since <= now + 900_000)) return [403, "AccessDenied"];
  if (now > since + seconds * 1_000) return [400, "ExpiredToken"];
  const signed = value("X-Goog-SignedHeaders").split(";");
  const unsigned = Object.keys(headers).filter((name) => name.startsWith("x-goog-") && !signed.includes(name));
  if (!signed.includes("host") || unsigned.length > 0 || signed.some((name) => headers[name] === undefined))
    return [400, "MalformedSecurityHeader"];
  const query = pairs
    .filter(([name]) => name !== "X-Goog-Signature")
    .map(([name, each]): [string, string] => [canonicalText(name), canonicalText(each)])
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map((pair) => pair.join("="))
    .join("&");
  let canonical = `${method}\n${path
    .split("/")
    .map((segment) => canonicalText(decodeURIComponent(segment)))
    .join("/")}\n${query}\n`;
  for (const name of signed.toSorted()) canonical += `${name}:${String(headers[name]).trim().replace(/\s+/g, " ")}\n`;
  canonical += `\n${signed.toSorted().join(";")}\nUNSIGNED-PAYLOAD`;
  const toSign = `GOOG4-RSA-SHA256\n${date}\n${scope}\n${createHash("sha256").update(canonical).digest("hex")}`;
  const valid = createVerify("RSA-SHA256").update(toSign).verify(publicKey, value("X-Goog-Signature"), "hex");
  return valid ? null : [403, "SignatureDoesNotMatch"];
}

async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Starts a server on a free port. */
export async function startGcsServer(bucket = "fleet"): Promise<GcsServer> {
  const pair = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const account = "robot@example.iam.gserviceaccount.com";
  const objects = new Map<string, StoredInGcs>();
  const sessions = new Map<string, Session>();
  const asked: string[] = [];
  const faults: { matches: (request: http.IncomingMessage) => boolean; fault: Fault }[] = [];
  let validTokens = new Set<string>();
  let issued = 0;
  let keyKnown = true;
  let url = "";

  const json = (response: http.ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { "content-type": "application/json; charset=UTF-8" }).end(JSON.stringify(body));
  const refuseJson = (response: http.ServerResponse, code: number, reason: string, message: string) =>
    json(response, code, { error: { errors: [{ domain: "global", reason, message }], code, message } });
  const refuseXml = (response: http.ServerResponse, status: number, code: string) =>
    void response
      .writeHead(status, { "content-type": "application/xml; charset=UTF-8" })
      .end(`<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code><Message>No.</Message></Error>`);
  const hasToken = ({ headers }: http.IncomingMessage) =>
    validTokens.has(/^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "");

  /** RFC 7523: issues a token for a claim signed with the account's key. */
  function issueToken(body: string, response: http.ServerResponse): void {
    const form = new URLSearchParams(body);
    const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const read = (part: string) =>
      JSON.parse(Buffer.from(part, "base64url").toString() || "{}") as Record<string, unknown>;
    const { iss, aud, scope, iat, exp } = read(claims);
    const now = Date.now() / 1_000;
    const valid =
      keyKnown &&
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
      read(head).alg === "RS256" &&
      [iss, aud, scope].join() ===
        [account, tokenAudience, "https://www.googleapis.com/auth/devstorage.read_write"].join() &&
      Number(iat) <= now + 1 &&
      Number(exp) > now &&
      Number(exp) - Number(iat) <= 3_600 &&
      createVerify("RSA-SHA256").update(`${head}.${claims}`).verify(pair.publicKey, signature, "base64url");
    if (!valid) return json(response, 400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
    const token = `ya29.${randomBytes(16).toString("hex")}`;
    validTokens.add(token);
    issued++;
    json(response, 200, { access_token: token, expires_in: 3_599, token_type: "Bearer" });
  }

  function list(query: URLSearchParams, response: http.ServerResponse): void {
    const names = [...objects.keys()].filter((name) => name.startsWith(query.get("prefix") ?? "")).toSorted();
    // A page token is the last name of the previous page, so that names deleted meanwhile leave no gap.
    const rest = names.filter((name) => name > Buffer.from(query.get("pageToken") ?? "", "base64url").toString());
    const page = rest.slice(0, Math.min(pageSize, Number(query.get("maxResults") ?? pageSize)));
    const more = rest.length > page.length && { nextPageToken: Buffer.from(page.at(-1) ?? "").toString("base64url") };
    json(response, 200, { ...(page.length > 0 && { items: page.map((name) => ({ name })) }), ...more });
  }

  async function upload(
    request: http.IncomingMessage,
    query: URLSearchParams,
    response: http.ServerResponse,
    fault: Fault,
  ): Promise<void> {
    const id = query.get("upload_id");
    if (id === null) {
      if (fault.status) return refuseJson(response, fault.status, "backendError", "Backend Error");
      if (!hasToken(request)) return refuseJson(response, 401, "authError", "Invalid Credentials");
      const name = query.get("name") ?? "";
      const [total, type] = [
        Number(request.headers["x-upload-content-length"]),
        String(request.headers["x-upload-content-type"]),
      ];
      if (query.get("uploadType") !== "resumable" || name === "" || !Number.isInteger(total))
        return refuseJson(response, 400, "invalid", "Bad request");
      const upload_id = randomBytes(12).toString("hex");
      sessions.set(upload_id, { name, total, type, chunks: [], state: "open" });
      return void response
        .writeHead(200, {
          location: `${url}/upload/storage/v1/b/${bucket}/o?${new URLSearchParams({ uploadType: "resumable", name, upload_id })}`,
        })
        .end();
    }
    const session = sessions.get(id);
    if (!session) return refuseJson(response, 404, "notFound", "Not Found");
    if (request.method === "DELETE") {
      session.state = "cancelled";
      return void response.writeHead(499).end();
    }
    if (session.state === "cancelled") return void response.writeHead(499).end();
    const body = await readBody(request);
    const [, from, to, total] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(request.headers["content-range"] ?? "") ?? [];
    if (Number(total) !== session.total) return refuseJson(response, 400, "invalid", "Invalid Content-Range");
    const storedBytes = () => session.chunks.reduce((sum, { length }) => sum + length, 0);
    if (from !== undefined && session.state === "open") {
      const [start, end] = [Number(from), Number(to) + 1];
      const complete = end === session.total || (end - start) % quantum === 0;
      if (body.length !== end - start || end > session.total || start > storedBytes() || !complete)
        return refuseJson(response, 400, "invalid", "Invalid request");
      session.chunks.push(
        body.subarray(storedBytes() - start, fault.keep ?? (fault.status || fault.broken ? 0 : body.length)),
      );
    }
    if (storedBytes() === session.total && session.state === "open") {
      session.state = "done";
      objects.set(session.name, { bytes: Buffer.concat(session.chunks), type: session.type, at: new Date() });
    }
    if (fault.broken) return void request.socket.destroy();
    if (fault.status) return refuseJson(response, fault.status, "backendError", "Backend Error");
    // The JSON API's entity tags differ from those of the XML API.
    if (session.state === "done")
      return json(response, 200, { name: session.name, size: String(session.total), etag: "CJ3m8s2e/4oDEAE=" });
    response.writeHead(308, storedBytes() > 0 && !fault.silent ? { range: `bytes=0-${storedBytes() - 1}` } : {}).end();
  }

  async function object(
    request: http.IncomingMessage,
    name: string,
    query: URLSearchParams,
    response: http.ServerResponse,
  ): Promise<void> {
    const stored = objects.get(name);
    if (request.method === "PUT") {
      const body = await readBody(request);
      const [min, max] = (request.headers["x-goog-content-length-range"] ?? `0,${5 * 1024 ** 4}`)
        .toString()
        .split(",")
        .map(Number);
      if (body.length > (max ?? 0)) return refuseXml(response, 400, "EntityTooLarge");
      if (body.length < (min ?? 0)) return refuseXml(response, 400, "EntityTooSmall");
      objects.set(name, { bytes: body, type: request.headers["content-type"] ?? "", at: new Date() });
      return void response.writeHead(200, { etag: computeEtag(body) }).end();
    }
    if (!stored) return refuseXml(response, 404, "NoSuchKey");
    if (request.method === "DELETE") {
      objects.delete(name);
      return void response.writeHead(204).end();
    }
    const { bytes, type, at } = stored;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (first !== undefined && Number(first) >= bytes.length) return refuseXml(response, 416, "InvalidRange");
    const content = first === undefined ? bytes : bytes.subarray(Number(first), Number(last) + 1);
    const disposition = query.get("response-content-disposition");
    response.writeHead(first === undefined ? 200 : 206, {
      etag: computeEtag(bytes),
      "last-modified": at.toUTCString(),
      "content-length": content.length,
      "x-goog-stored-content-length": bytes.length,
      "content-type": query.get("response-content-type") ?? type,
      ...(disposition !== null && { "content-disposition": disposition }),
    });
    response.end(request.method === "HEAD" ? undefined : content);
  }

  async function respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    asked.push(`${request.method} ${pathname}`);
    // Google requires Content-Length even where there is no body.
    if (["POST", "PUT"].includes(request.method ?? "") && request.headers["content-length"] === undefined)
      return void response.writeHead(411).end();
    const at = faults.findIndex(({ matches }) => matches(request));
    const fault = at < 0 ? {} : (faults.splice(at, 1)[0]?.fault ?? {});
    const json = /^(\/upload)?\/storage\/v1\/b\/([^/]+)\/o$/.exec(pathname);
    if (json?.[1] && json[2] === bucket) return upload(request, searchParams, response, fault);
    if (fault.broken) return void request.socket.destroy();
    if (fault.status) return refuseJson(response, fault.status, "backendError", "Backend Error");
    if (pathname === "/token") return issueToken((await readBody(request)).toString(), response);
    if (json) {
      if (!hasToken(request)) return refuseJson(response, 401, "authError", "Invalid Credentials");
      if (json[2] !== bucket) return refuseJson(response, 404, "notFound", "The specified bucket does not exist.");
      return list(searchParams, response);
    }
    if (searchParams.has("X-Goog-Signature")) {
      const error = findSignatureError(request, { account, publicKey: pair.publicKey, now: Date.now() });
      if (error) return refuseXml(response, ...error);
    } else if (!hasToken(request)) return refuseXml(response, 401, "AuthenticationRequired");
    const [, bucketName = "", ...segments] = pathname.split("/");
    if (bucketName !== bucket) return refuseXml(response, 404, "NoSuchBucket");
    return object(request, segments.map(decodeURIComponent).join("/"), searchParams, response);
  }

  const server = http.createServer(
    (request, response) => void respond(request, response).catch(() => request.socket.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bucket,
    keyFile: JSON.stringify({
      type: "service_account",
      client_email: account,
      private_key: pair.privateKey,
      token_uri: tokenAudience,
    }),
    objects,
    asked,
    tokens: () => issued,
    openUploads: () => [...sessions.values()].filter(({ state }) => state === "open").length,
    fault: (matches, fault) => {
      const entry = { matches, fault };
      faults.push(entry);
      return () => !faults.includes(entry);
    },
    revokeTokens: () => void (validTokens = new Set()),
    knowKey: (known) => void (keyKnown = known),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
