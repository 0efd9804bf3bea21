import { isUtf8 } from "node:buffer";
import { env } from "@/server/platform/env";
import { isServiceError, ServiceError } from "@/server/platform/errors";
import { logFor, scrubSecrets } from "@/server/platform/log";
import { noteForeignRequest } from "@/server/platform/observability/access-notes";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { unavailable } from "@/server/platform/unavailable";
import type { Entry } from "@/server/transport/http/entries";
import { clientAddress, type HeaderReader } from "@/server/transport/rest/authenticate";
import { checkDocument, refuseCharset } from "@/server/transport/rest/body";
import { httpsRequired, lacksHttps } from "@/server/transport/rest/https";
import { isOwnHost } from "@/server/transport/rest/own-host";
import { readUserId } from "@/server/transport/session/session";

const log = logFor("web");

/** What the guard reads of a request before its body. */
export interface RequestHead {
  method: string;
  /** Path and query as sent. */
  url: string;
  headers: HeaderReader;
  /** The socket's address; null where Next itself listens. */
  address: string | null;
}

const readingMethods = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a change was requested by our own page. Requests without cookie, origin and fetch metadata are not a
 * browser's: they act for nobody, and pass. A browser also calls a page of a foreign name that leads to this machine
 * our own, so the name counts too.
 */
function isOwnOrigin({ headers }: RequestHead): boolean {
  const [origin, site, host] = [headers.get("origin"), headers.get("sec-fetch-site"), headers.get("host") ?? ""];
  if (origin === env.PUBLIC_URL) return true;
  if (site === "same-origin") return isOwnHost(host);
  if (origin === null) return site === null && !headers.has("cookie");
  return !env.PUBLIC_URL_GIVEN && URL.canParse(origin) && new URL(origin).host === host && isOwnHost(host);
}

const describeOrigin = (host: string): string =>
  isOwnHost(host)
    ? "The request comes from another site."
    : "This address is not known as Muster's own. Whoever runs it sets the one to use as PUBLIC_URL.";

/** Records a change that another site's page requested: in the log, and for a signed-in person in the audit log. */
async function noteForeignOrigin({ name }: Entry, { method, url, headers, address }: RequestHead): Promise<void> {
  const path = url.split("?", 1)[0] ?? "/";
  const ip = clientAddress(headers, address);
  log.info({ address: ip, path, origin: headers.get("origin")?.slice(0, 200) }, "request of another site refused");
  const userId = await readUserId(headers.get("cookie"));
  if (userId) noteForeignRequest(userId, ip, name, `${method} ${scrubSecrets(path)}`);
}

const badAddress = () => new ServiceError("invalid", { detail: "The address is not valid." });

function checkAddress(url: string): void {
  let decoded: string;
  try {
    decoded = decodeURIComponent(url);
  } catch {
    throw badAddress(); // malformed escapes, and bytes that are not UTF-8, such as those of a lone surrogate
  }
  if (decoded.includes("\0")) throw badAddress();
}

const mediaType = (headers: HeaderReader): string => (headers.get("content-type") ?? "").split(";", 1)[0]?.trim() ?? "";

async function count(limit: "page" | "csv", { headers, address }: RequestHead): Promise<void> {
  const key = (await readUserId(headers.get("cookie"))) ?? clientAddress(headers, address) ?? "unknown";
  // Without the database nothing can be counted; the handler then shows the outage in its own way.
  const verdict = await countRequest(limit, key).catch((error: unknown) =>
    unavailable(error) ? null : Promise.reject(error),
  );
  if (verdict && verdict.retryAfterSeconds !== null) throw throttled(verdict.retryAfterSeconds);
}

/**
 * Checks the head of a request against its entry, in the order of the API's checks. Returns the refusal, or null for a
 * request that its handler may see once its body was checked too.
 */
export async function refuseHead(entry: Entry, head: RequestHead): Promise<ServiceError | null> {
  try {
    if (entry.handler !== "probe" && lacksHttps(head.headers.get("x-forwarded-proto"))) {
      throw new ServiceError("forbidden", httpsRequired);
    }
    if (entry.counted === "page" || entry.counted === "csv") await count(entry.counted, head);
    if (entry.credential === "cookie") {
      if (!readingMethods.has(head.method) && !isOwnOrigin(head)) {
        await noteForeignOrigin(entry, head);
        throw new ServiceError("forbidden", { detail: describeOrigin(head.headers.get("host") ?? "") });
      }
      checkAddress(head.url);
    }
    return null;
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
}

const isTextType = (type: string): boolean => /^text\/|\bjson$|^application\/x-www-form-urlencoded$/i.test(type);

/** Refuses (415) a body of a type that its entry does not read, and a text that is not in UTF-8. */
export function refuseMediaType({ accepts }: Entry, headers: HeaderReader): ServiceError | null {
  const type = mediaType(headers);
  if (!accepts || accepts.includes(type.toLowerCase())) {
    return isTextType(type) ? refuseCharset(headers.get("content-type") ?? "") : null;
  }
  return new ServiceError("unsupported_media_type", {
    detail: `Unsupported media type "${type.slice(0, 100)}" in request.`,
  });
}

/** Refuses (400) a received body with texts that no column can hold: NUL, lone surrogates, nesting beyond 32 levels. */
export function refuseBody({ text }: Entry, headers: HeaderReader, body: Buffer): ServiceError | null {
  const type = mediaType(headers);
  if (!isTextType(type)) return null;
  if (!isUtf8(body)) return new ServiceError("invalid", { detail: "The body is not valid UTF-8." });
  if (text === "router") return null;
  try {
    if (/\bjson$/i.test(type)) checkJson(body.toString());
    else checkAddress(body.toString());
    return null;
  } catch (error) {
    if (isServiceError(error)) return error;
    throw error;
  }
}

function checkJson(text: string): void {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return; // refused by the handler, which parses it again
  }
  checkDocument(document, text);
}
