import { buffer } from "node:stream/consumers";
import type { StorageCheckName } from "@/domain/storage-configs/checks";
import {
  type BucketFault,
  type BucketProbe,
  probeBucket,
  unreachedMessage,
} from "@/server/features/storage-configs/bucket-probe";
import type { StorageKind } from "@/server/features/storage-configs/kind";
import type { StorageCheck, StorageConfigResource } from "@/server/features/storage-configs/resource";
import { invalid } from "@/server/platform/errors";
import { EgressError, type OutboundStream, toEgressError } from "@/server/platform/http-client/http-client";
import { contentType, limitBytes, maxBodyBytes } from "@/server/platform/storage/bucket-store";
import {
  GcsClient,
  type GcsRequest,
  KeyRefused,
  objectsUrl,
  objectUrl,
  readServiceAccount,
  readText,
  unexpectedResponse,
} from "@/server/platform/storage/gcs-client";

const field = "gc_storage_auth_json_content";
const bucketField = "gc_storage_bucket_name";

/** What an account without a permission may not do, and the permission for it. */
const lacking: Readonly<Record<StorageCheckName, readonly [what: string, permission: string]>> = {
  reach: ["use the bucket", "storage.objects.list"],
  list: ["list the bucket", "storage.objects.list"],
  write: ["write objects", "storage.objects.create"],
  read: ["read objects", "storage.objects.get"],
  delete: ["delete objects", "storage.objects.delete"],
  multipart: ["upload in parts", "storage.objects.create"],
};

/** A response that is no success. */
class Refused extends Error {
  constructor(readonly status: number) {
    super(String(status));
  }
}

function explainGcs(error: unknown, step: StorageCheckName): BucketFault {
  if (error instanceof KeyRefused) return { at: "reach", field, message: error.message };
  if (error instanceof EgressError) return { at: "reach", field: bucketField, message: unreachedMessage(error) };
  if (!(error instanceof Refused)) throw error;
  const { status } = error;
  if (status === 401 || status === 403) {
    const [what, permission] = lacking[step];
    return { at: "step", field, message: `This service account may not ${what}.`, permission };
  }
  if (step !== "list") return { at: "step", field: bucketField, message: `The store refused (${status}).` };
  const message = status === 404 ? "There is no such bucket." : `The store refused the bucket (${status}).`;
  return { at: "reach", field: bucketField, message };
}

async function checkGcs(bucket: string, prefix: string | null, content: string): Promise<StorageCheck[]> {
  const account = readServiceAccount(content);
  if (!account) throw invalid(field, "Give the JSON key of a service account.");
  const client = new GcsClient(account, 1);
  const send = async (
    request: GcsRequest,
    allowed: (status: number) => boolean = () => false,
  ): Promise<OutboundStream> => {
    const response = await client.send(request);
    if (response.status < 300 || allowed(response.status)) return response;
    await readText(response);
    throw new Refused(response.status);
  };
  const isMissing = (status: number) => status === 404;
  const probe: BucketProbe = {
    list: async () => {
      const query = { maxResults: "1", fields: "kind", ...(prefix && { prefix }) };
      await readText(await send({ method: "GET", url: objectsUrl(bucket, query) }));
    },
    write: async (name, body) => {
      const headers = { "content-type": contentType };
      await readText(await send({ method: "PUT", url: objectUrl(bucket, name), headers, body }));
    },
    read: async (name) => {
      const response = await send({ method: "GET", url: objectUrl(bucket, name) }, isMissing);
      const bytes = await buffer(limitBytes(response.body, maxBodyBytes)).catch((error: unknown) => {
        throw toEgressError(error);
      });
      return isMissing(response.status) ? null : bytes;
    },
    delete: async (name) => {
      await readText(await send({ method: "DELETE", url: objectUrl(bucket, name) }, isMissing));
    },
    multipart: async (name, bytes) => {
      const url = objectsUrl(bucket, { uploadType: "resumable", name }, "/upload");
      const headers = { "x-upload-content-type": contentType, "x-upload-content-length": String(bytes.length) };
      const started = await send({ method: "POST", url, headers });
      await readText(started);
      const { location } = started.headers;
      if (typeof location !== "string") throw new EgressError("protocol", unexpectedResponse);
      // A cancelled upload has status 499.
      const cancelled = await client.once({ method: "DELETE", url: location });
      await readText(cancelled);
      if (cancelled.status >= 300 && cancelled.status !== 499) throw new Refused(cancelled.status);
    },
    explain: explainGcs,
  };
  return probeBucket(probe, prefix, bucketField);
}

type Members = Pick<StorageConfigResource, "gc_storage_bucket_name" | "gc_storage_prefix">;

export const gcStorage: StorageKind<Members> = {
  read: (input) => ({
    address: {
      bucket: input.gc_storage_bucket_name ?? "",
      prefix: input.gc_storage_prefix || null,
      region: null,
      endpointUrl: null,
      accelerated: false,
    },
    credentials: { serviceAccount: input.gc_storage_auth_json_content },
  }),
  readCredentials: ({ gc_storage_auth_json_content: serviceAccount }) =>
    serviceAccount === undefined ? null : { serviceAccount },
  check: ({ bucket, prefix }, { serviceAccount }) => checkGcs(bucket, prefix, serviceAccount ?? ""),
  show: (address) => ({
    gc_storage_bucket_name: address?.bucket ?? null,
    gc_storage_prefix: address?.prefix ?? null,
  }),
};
