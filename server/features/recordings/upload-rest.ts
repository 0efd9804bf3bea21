import { RecordingUid } from "@/domain/recordings/schema";
import { ConfirmUpload, FinalizeUpload, InitUpload, UploadUrls } from "@/domain/uploads/schema";
import { RecordingUploadStatus } from "@/server/features/recordings/resource";
import { findRecording } from "@/server/features/recordings/service";
import {
  confirmUpload,
  finalizeUpload,
  initUpload,
  uploadStatus,
  uploadUrls,
} from "@/server/features/recordings/upload-service";
import { absoluteUrls } from "@/server/features/uploads/absolute-urls";
import { Confirmation, FinalizedUpload, SignedUrls, UploadSessionResource } from "@/server/features/uploads/resource";
import { endpoint, type ExistsCheck } from "@/server/transport/rest/endpoint";

const exists: ExistsCheck<typeof RecordingUid> = (ctx, params) => findRecording(ctx, params.uid);

export const init = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/upload/init/",
  id: "recordings.upload-init",
  summary: "Start an upload",
  description: "Opens the upload session. The same files again answer with the same session.",
  permission: ["fleet.write", "device"],
  role: "member",
  params: RecordingUid,
  body: InitUpload,
  response: UploadSessionResource,
  status: 201,
  exists,
  handler: ({ ctx, params, body }) => initUpload(ctx, params.uid, body),
});

export const urls = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/upload/urls/",
  id: "recordings.upload-urls",
  summary: "Get upload URLs",
  description:
    "PUT the bytes with the `headers` given; the answer carries `ETag`. To go on after an interruption, PUT nothing with " +
    "`Content-Range: bytes */<size>`: 308 names in `Range` what is kept; then PUT the rest with its `Content-Range`.",
  permission: ["fleet.write", "device"],
  role: "member",
  params: RecordingUid,
  body: UploadUrls,
  response: SignedUrls,
  exists,
  handler: async ({ ctx, params, body, publicUrl }) => absoluteUrls(await uploadUrls(ctx, params.uid, body), publicUrl),
});

export const confirm = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/upload/confirm/",
  id: "recordings.upload-confirm",
  summary: "Confirm uploaded files",
  description: "Size and entity tag are compared with what is stored; all files of the call are confirmed, or none.",
  permission: ["fleet.write", "device"],
  role: "member",
  params: RecordingUid,
  body: ConfirmUpload,
  response: Confirmation,
  exists,
  handler: ({ ctx, params, body }) => confirmUpload(ctx, params.uid, body),
});

export const finalize = endpoint({
  method: "POST",
  path: "/fleet/recordings/{uid}/upload/finalize/",
  id: "recordings.upload-finalize",
  summary: "Finalize an upload",
  permission: ["fleet.write", "device"],
  role: "member",
  params: RecordingUid,
  body: FinalizeUpload,
  response: FinalizedUpload,
  exists,
  handler: ({ ctx, params, body }) => finalizeUpload(ctx, params.uid, body),
});

export const status = endpoint({
  method: "GET",
  path: "/fleet/recordings/{uid}/upload/status/",
  id: "recordings.upload-status",
  frequent: true,
  summary: "Get the status of an upload",
  permission: ["fleet.read", "fleet.write", "device"],
  role: "member",
  params: RecordingUid,
  response: RecordingUploadStatus,
  handler: ({ ctx, params }) => uploadStatus(ctx, params.uid),
});
