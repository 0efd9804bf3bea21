import {
  CreateStorageConfig,
  OfOrganization,
  StorageConfigFilters,
  StorageConfigUid,
} from "@/domain/storage-configs/schema";
import { SetupInfo, StorageConfigResource, Verification } from "@/server/features/storage-configs/resource";
import {
  createStorageConfig,
  deleteStorageConfig,
  listStorageConfigs,
  storageSetupInfo,
  testStorageConfig,
} from "@/server/features/storage-configs/service";
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
    "credentials are tried first; 400 names the field at fault. Credentials are not shown again.",
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

export const test = endpoint({
  method: "POST",
  path: "/storage-configs/{uid}/test/",
  id: "storage-configs.test",
  summary: "Verify a storage configuration",
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
