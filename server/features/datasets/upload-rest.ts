import { DatasetPath, FinalizeDatasetUpload, UploadSession } from "@/domain/datasets/schema";
import { ConfirmUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { DatasetUploadStatus } from "@/server/features/datasets/resource";
import { getDataset } from "@/server/features/datasets/service";
import {
  confirmDatasetUpload,
  datasetUploadStatus,
  datasetUploadUrls,
  finalizeDatasetUpload,
  initDatasetUpload,
} from "@/server/features/datasets/upload-service";
import { absoluteUrls } from "@/server/features/uploads/absolute-urls";
import { Confirmation, FinalizedUpload, SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";

const exists: ExistsCheck<typeof DatasetPath> = (ctx, params) => getDataset(ctx, params);

export const init = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/upload/init/",
  id: "datasets.upload-init",
  summary: "Start an upload to a dataset",
  description:
    "Opens an upload session; a dataset may have several. The same files again answer with the same session.",
  permission: ["datasets.write"],
  role: "member",
  params: DatasetPath,
  body: InitUpload,
  response: UploadSessionResource,
  status: 201,
  exists,
  handler: ({ ctx, params, body }) => initDatasetUpload(ctx, params, body),
});

export const urls = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/upload/urls/",
  id: "datasets.upload-urls",
  summary: "Get upload URLs of a dataset",
  description: "As for recordings: PUT the bytes with the `headers` given; the answer carries `ETag`.",
  permission: ["datasets.write"],
  role: "member",
  params: DatasetPath,
  body: UploadUrls,
  response: SignedUrls,
  exists,
  handler: async ({ ctx, params, body, publicUrl }) =>
    absoluteUrls(await datasetUploadUrls(ctx, params, body), publicUrl),
});

export const confirm = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/upload/confirm/",
  id: "datasets.upload-confirm",
  summary: "Confirm files uploaded to a dataset",
  description: "Size and entity tag are compared with what is stored; all files of the call are confirmed, or none.",
  permission: ["datasets.write"],
  role: "member",
  params: DatasetPath,
  body: ConfirmUpload,
  response: Confirmation,
  exists,
  handler: ({ ctx, params, body }) => confirmDatasetUpload(ctx, params, body),
});

export const finalize = endpoint({
  method: "POST",
  path: "/datasets/{owner}/{slug}/upload/finalize/",
  id: "datasets.upload-finalize",
  summary: "Finalize an upload to a dataset",
  description: "Its files become items, with the metadata that `files` gives them.",
  permission: ["datasets.write"],
  role: "member",
  params: DatasetPath,
  body: FinalizeDatasetUpload,
  response: FinalizedUpload,
  exists,
  handler: ({ ctx, params, body }) => finalizeDatasetUpload(ctx, params, body),
});

export const status = endpoint({
  method: "GET",
  path: "/datasets/{owner}/{slug}/upload/status/",
  id: "datasets.upload-status",
  frequent: true,
  summary: "Get the status of an upload to a dataset",
  description: "Of the session named, or of the newest.",
  permission: ["datasets.read", "datasets.write"],
  role: "member",
  params: DatasetPath,
  query: UploadSession,
  response: DatasetUploadStatus,
  handler: ({ ctx, params, query }) => datasetUploadStatus(ctx, params, query.session_uid),
});
