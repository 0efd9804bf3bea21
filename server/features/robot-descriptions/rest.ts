import {
  CreateRobotDescription,
  RobotDescriptionFilters,
  RobotDescriptionUid,
} from "@/domain/robot-descriptions/schema";
import { finalizeRobotDescription } from "@/server/features/robot-descriptions/finalize-service";
import { RobotDescriptionResource, RobotDescriptionUpload } from "@/server/features/robot-descriptions/resource";
import {
  beginRobotDescription,
  deleteRobotDescription,
  getRobotDescription,
  listRobotDescriptions,
} from "@/server/features/robot-descriptions/service";
import { absoluteUrl } from "@/server/transport/rest/absolute-url";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

const absolute = (found: RobotDescriptionResource, publicUrl: string): RobotDescriptionResource => ({
  ...found,
  download_url: absoluteUrl(found.download_url, publicUrl),
});

export const list = endpoint({
  method: "GET",
  path: "/fleet/robot-descriptions/",
  id: "robot-descriptions.list",
  summary: "List robot descriptions",
  permission: ["fleet.read"],
  role: "member",
  query: RobotDescriptionFilters,
  response: toPageSchema(RobotDescriptionResource),
  handler: async ({ ctx, query, publicUrl }) => {
    const page = await listRobotDescriptions(ctx, query);
    return { ...page, results: page.results.map((each) => absolute(each, publicUrl)) };
  },
});

export const uploadInit = endpoint({
  method: "POST",
  path: "/fleet/robot-descriptions/",
  id: "robot-descriptions.upload-init",
  summary: "Upload a robot description",
  description: "A zip of a URDF and its meshes: PUT it to `put_url`, then finalize.",
  permission: ["fleet.write"],
  role: "member",
  body: CreateRobotDescription,
  response: RobotDescriptionUpload,
  status: 201,
  handler: async ({ ctx, body, publicUrl }) => {
    const upload = await beginRobotDescription(ctx, body);
    return { ...upload, put_url: absoluteUrl(upload.put_url, publicUrl) };
  },
});

export const uploadFinalize = endpoint({
  method: "POST",
  path: "/fleet/robot-descriptions/{uid}/finalize/",
  id: "robot-descriptions.upload-finalize",
  summary: "Finalize a robot description",
  description: "Checks the zip and replaces that of its device type.",
  permission: ["fleet.write"],
  role: "member",
  params: RobotDescriptionUid,
  response: RobotDescriptionResource,
  handler: async ({ ctx, params, publicUrl }) => absolute(await finalizeRobotDescription(ctx, params.uid), publicUrl),
});

export const get = endpoint({
  method: "GET",
  path: "/fleet/robot-descriptions/{uid}/",
  id: "robot-descriptions.get",
  summary: "Get a robot description",
  permission: ["fleet.read"],
  role: "member",
  params: RobotDescriptionUid,
  response: RobotDescriptionResource,
  handler: async ({ ctx, params, publicUrl }) => {
    const { files: _, ...found } = await getRobotDescription(ctx, params.uid);
    return absolute(found, publicUrl);
  },
});

export const remove = endpoint({
  method: "DELETE",
  path: "/fleet/robot-descriptions/{uid}/",
  id: "robot-descriptions.delete",
  summary: "Delete a robot description",
  permission: ["fleet.write"],
  role: "member",
  params: RobotDescriptionUid,
  status: 204,
  handler: ({ ctx, params }) => deleteRobotDescription(ctx, params.uid),
});
