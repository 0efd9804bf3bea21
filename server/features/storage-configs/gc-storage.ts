import type { Issue } from "@/domain/issues";
import type { StorageKind } from "@/server/features/storage-configs/kind";
import type { StorageConfigResource } from "@/server/features/storage-configs/resource";
import { EgressError } from "@/server/platform/http-client/http-client";
import { GcsClient, KeyRefused, objectsUrl, readServiceAccount, readText } from "@/server/platform/storage/gcs-client";

const field = "gc_storage_auth_json_content";
const at = (name: string, message: string): Issue => ({ path: [name], message });

async function checkGcs(bucket: string, prefix: string | null, content: string): Promise<Issue | null> {
  const account = readServiceAccount(content);
  if (!account) return at(field, "Give the JSON key of a service account.");
  try {
    const query = { maxResults: "1", fields: "kind", ...(prefix && { prefix }) };
    const result = await new GcsClient(account, 1).send({ method: "GET", url: objectsUrl(bucket, query) });
    await readText(result);
    const { status } = result;
    if (status === 200) return null;
    if (status === 404) return at("gc_storage_bucket_name", "There is no such bucket.");
    if (status === 401 || status === 403) return at(field, "This service account may not list the bucket.");
    return at("gc_storage_bucket_name", `The store refused the bucket (${status}).`);
  } catch (error) {
    if (error instanceof KeyRefused) return at(field, error.message);
    if (!(error instanceof EgressError)) throw error;
    return at("gc_storage_bucket_name", `The bucket could not be reached: ${error.message}.`);
  }
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
  check: ({ bucket, prefix }, { serviceAccount }) => checkGcs(bucket, prefix, serviceAccount ?? ""),
  show: (address) => ({
    gc_storage_bucket_name: address?.bucket ?? null,
    gc_storage_prefix: address?.prefix ?? null,
  }),
};
