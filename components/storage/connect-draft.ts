import { required } from "@/domain/field-messages";
import { messagesByField } from "@/domain/issues";
import { CreateStorageConfig } from "@/domain/storage-configs/schema";
import type { NewBucket } from "./query";

export type ProviderChoice = "s3" | "s3_compatible" | "gcs";

/** What was typed so far, by the names that the API has for it; `choice` tells the two kinds of S3 apart. */
export type Draft = Readonly<Record<string, string>> & { readonly choice: ProviderChoice };

export const emptyDraft: Draft = { choice: "s3", name: "" };

export const stepTitles = ["Provider", "Permissions", "Credentials and test"] as const;

/** The fields of each step. */
export function stepFields({ choice }: Draft): readonly (readonly string[])[] {
  if (choice === "gcs")
    return [["name"], ["gc_storage_bucket_name", "gc_storage_prefix"], ["gc_storage_auth_json_content"]];
  return [
    ["name"],
    [
      "s3_bucket_name",
      "s3_bucket_region",
      "s3_bucket_prefix",
      ...(choice === "s3_compatible" ? ["s3_endpoint_url"] : []),
    ],
    ["s3_access_key_id", "s3_secret_access_key"],
  ];
}

/** The draft as a request: its provider's own fields, and those left empty are missing. */
export function toBucket(draft: Draft): NewBucket {
  const fields = stepFields(draft)
    .flat()
    .flatMap((name) => {
      const value = (draft[name] ?? "").trim();
      return value === "" && name !== "name" ? [] : [[name, value]];
    });
  return {
    provider: draft.choice === "gcs" ? "gc_storage" : "aws_s3",
    name: "",
    ...Object.fromEntries(fields),
  } as NewBucket;
}

/** What is wrong with the fields of the steps up to one, by field; of those fields only. */
export function findErrors(draft: Draft, upTo: number): Readonly<Record<string, string>> {
  const parsed = CreateStorageConfig.safeParse(toBucket(draft));
  const issues = (parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.map(String), message }));
  // Without one a bucket of S3 is at AWS, so the API does not require it.
  const isAtNoAddress = draft.choice === "s3_compatible" && (draft.s3_endpoint_url ?? "").trim() === "";
  const found = { ...messagesByField(issues), ...(isAtNoAddress && { s3_endpoint_url: required }) };
  const names = new Set(stepFields(draft).slice(0, upTo).flat());
  return Object.fromEntries(Object.entries(found).filter(([name]) => names.has(name)));
}
