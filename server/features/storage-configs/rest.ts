import {
  CreateStorageConfig,
  OfOrganization,
  StorageConfigFilters,
  StorageConfigUid,
  UpdateStorageConfig,
} from "@/domain/storage-configs/schema";
import { SetupInfo, StorageConfigResource, Verification } from "@/server/features/storage-configs/resource";
import {
  createStorageConfig,
  deleteStorageConfig,
  getStorageConfig,
  listStorageConfigs,
  storageSetupInfo,
  updateStorageConfig,
} from "@/server/features/storage-configs/service";
import { testStorageConfig } from "@/server/features/storage-configs/test-service";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/storage-configs/",
  id: "storage-configs.list",
  summary: "List storage configurations",
  permission: ["storage.read"],
  role: "member",
  query: StorageConfigFilters,
  response: toPageSchema(StorageConfigResource),
  handler: ({ ctx, query }) => listStorageConfigs(ctx, query),
});

export const create = endpoint({
  method: "POST",
  path: "/storage-configs/",
  id: "storage-configs.create",
  summary: "Create a storage configuration",
  description:
    "Of S3, of a store that speaks S3, or of Google Cloud Storage: recordings, datasets and exports can be kept in it. The " +
    "credentials are tried first: 400 names the field at fault where the bucket cannot be reached or listed. Credentials are not shown again.",
  permission: ["storage.write"],
  role: "admin",
  query: OfOrganization,
  body: CreateStorageConfig,
  response: StorageConfigResource,
  status: 201,
  handler: ({ ctx, query, body }) => createStorageConfig(ctx, query.organization, body),
});

export const setupInfo = endpoint({
  method: "GET",
  path: "/storage-configs/setup-info/",
  id: "storage-configs.setup-info",
  summary: "Get bucket setup information",
  permission: ["storage.read"],
  role: "member",
  query: OfOrganization,
  response: SetupInfo,
  handler: ({ ctx, query }) => storageSetupInfo(ctx, query.organization),
});

export const update = endpoint({
  method: "PATCH",
  path: "/storage-configs/{uid}/",
  id: "storage-configs.update",
  summary: "Update a storage configuration",
  description:
    "A new name, new credentials of the same bucket, or both. New credentials are tested before they replace the old ones: 400 names the field where they fail and the old ones did not.",
  permission: ["storage.write"],
  role: "admin",
  params: StorageConfigUid,
  body: UpdateStorageConfig,
  response: StorageConfigResource,
  exists: (ctx, params) => getStorageConfig(ctx, params.uid),
  handler: ({ ctx, params, body }) => updateStorageConfig(ctx, params.uid, body),
});

export const test = endpoint({
  method: "POST",
  path: "/storage-configs/{uid}/test/",
  id: "storage-configs.test",
  summary: "Verify a storage configuration",
  description:
    "Reaches and lists the bucket, which verifies it; then writes, reads and deletes a small object below `muster-test/`, and begins and aborts an upload in parts. `checks` says what each step found.",
  permission: ["storage.write"],
  role: "admin",
  params: StorageConfigUid,
  response: Verification,
  handler: ({ ctx, params }) => testStorageConfig(ctx, params.uid),
});

export const remove = endpoint({
  method: "DELETE",
  path: "/storage-configs/{uid}/",
  id: "storage-configs.delete",
  summary: "Delete a storage configuration",
  permission: ["full"],
  role: "admin",
  params: StorageConfigUid,
  status: 204,
  handler: ({ ctx, params }) => deleteStorageConfig(ctx, params.uid),
});
