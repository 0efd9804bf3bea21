import type { S3Client } from "@aws-sdk/client-s3";
import { databaseClock } from "@/server/platform/clock";
import { streamOutbound, streamTrusted } from "@/server/platform/http-client/http-client";
import type { BucketCredentials } from "@/server/platform/storage/bucket-credentials";
import { limitBytes, maxBodyBytes, type BucketAddress } from "@/server/platform/storage/bucket-store";
import { observeBucketRequest, type BucketOperation } from "@/server/platform/storage/observed-request";
import { percentEncoded } from "@/server/platform/storage/percent";

/** A bucket of S3 or an S3-compatible store, with its credentials. With an endpoint it is addressed by path. */
export interface S3Bucket extends BucketAddress {
  region: string;
  /** Null for the SDK's default chain: environment, shared files, the role of the machine or the pod. */
  keys: { accessKeyId: string; secretAccessKey: string } | null;
  /** The operator's own bucket may have any address; a customer's must be permitted. */
  trusted: boolean;
}

export const s3Bucket = (at: BucketAddress, { accessKeyId, secretAccessKey }: BucketCredentials): S3Bucket => ({
  ...at,
  region: at.region ?? "",
  keys: { accessKeyId: accessKeyId ?? "", secretAccessKey: secretAccessKey ?? "" },
  trusted: false,
});

interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  method: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

function formatUrl({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? ""]).map((each) => `${percentEncoded(name)}=${percentEncoded(each)}`),
  );
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${pairs.length > 0 ? `?${pairs.sort().join("&")}` : ""}`;
}

/** Bodies are text or bytes: streams are uploaded in parts, which can be sent again. */
function toBytes(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  throw new TypeError("a body of S3 is sent in parts");
}

/** Headers that the HTTP client sets itself, and `expect`, which it does not support. */
const clientHeaders = new Set(["host", "content-length", "expect"]);

const operations: Readonly<Record<string, BucketOperation>> = {
  GET: "read",
  HEAD: "look",
  PUT: "write",
  POST: "parts",
  DELETE: "delete",
};
const isObject = ({ method, query = {} }: SignedRequest): boolean =>
  method === "GET" && !["list-type", "uploads", "uploadId"].some((name) => name in query);

function findOperation(request: SignedRequest): BucketOperation {
  const { method, query = {} } = request;
  if (method === "GET" && !isObject(request)) return "list";
  return method === "POST" && "delete" in query ? "delete" : (operations[method] ?? "look");
}

/** Sends the SDK's requests with the outbound HTTP client, which checks the addresses of customers' buckets. */
const requestHandler = (send: typeof streamOutbound, store: "own" | "customer") => ({
  handle: async (request: SignedRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !clientHeaders.has(name.toLowerCase())),
    );
    const body = toBytes(request.body);
    const response = await observeBucketRequest({ store, operation: findOperation(request) }, () =>
      send({
        url: formatUrl(request),
        method: request.method as "GET",
        headers,
        ...(body !== undefined && { body }),
        ...(abortSignal && { signal: abortSignal }),
      }),
    );
    // Objects are streamed; the SDK reads everything else into memory.
    const isStreamed = response.status < 300 && isObject(request);
    const limited = isStreamed ? response.body : limitBytes(response.body, maxBodyBytes);
    return { response: { statusCode: response.status, headers: { ...response.headers }, body: limited } };
  },
});

/** A client for one bucket. The SDK is large, so it is imported when it is first needed. */
export async function s3Client(target: S3Bucket, maxAttempts = 3): Promise<S3Client> {
  const { S3Client } = await import("@aws-sdk/client-s3");
  const { endpointUrl, accelerated, region, keys, trusted } = target;
  return new S3Client({
    region,
    ...(keys && { credentials: keys }),
    ...(endpointUrl !== null && { endpoint: endpointUrl, forcePathStyle: true }),
    useAccelerateEndpoint: accelerated && endpointUrl === null,
    maxAttempts,
    systemClockOffset: -databaseClock.machineAheadMs(),
    // Many S3-compatible stores do not support the newer checksums; each part is signed with its SHA-256 anyway.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: requestHandler(trusted ? streamTrusted : streamOutbound, trusted ? "own" : "customer"),
  });
}
