import { type AddressValues, filterInput } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

export type Bucket = Outputs["storage"]["get"];
export type StorageCheck = Outputs["storage"]["test"]["checks"][number];
export type StorageTest = Outputs["storage"]["tests"]["results"][number];
export type NewBucket = Inputs["storage"]["create"];

/** The list's query for the filters in the address. */
export const listInput = (values: AddressValues): Inputs["storage"]["overview"] => ({
  ...filterInput(["search", "provider", "state"], values),
  limit: 50,
});

/** The bucket's name in its store, with the prefix: `fleet/robots`. */
export function bucketPath(bucket: Bucket): string {
  const name = bucket.s3_bucket_name ?? bucket.gc_storage_bucket_name ?? "";
  const prefix = (bucket.s3_bucket_prefix ?? bucket.gc_storage_prefix ?? "").replace(/^\/+|\/+$/g, "");
  return prefix === "" ? name : `${name}/${prefix}`;
}

/** What a bucket's last test found first, as a sentence; null where it found nothing. */
export function firstFailure(bucket: Pick<Bucket, "last">): StorageCheck | null {
  return bucket.last?.checks.find(({ ok }) => ok === false) ?? null;
}

export const storageHref = (uid: string): string => `/storage/${uid}`;
