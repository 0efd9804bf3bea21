import { z } from "zod";

/** What a device type's robots look like: a zip of a URDF and its meshes. */
export const RobotDescriptionResource = z.object({
  uid: z.string().describe("New per upload."),
  device_type: z.string(),
  name: z.string().describe("In the URDF."),
  size_bytes: z.int(),
  file_count: z.int(),
  link_count: z.int(),
  joint_count: z.int(),
  missing_meshes: z.array(z.string()).describe("In the URDF, not in the zip."),
  created_by: z.string().nullable(),
  created_by_name: z.string(),
  created_at: z.string(),
  download_url: z.string().describe("For an hour."),
});
export type RobotDescriptionResource = z.output<typeof RobotDescriptionResource>;

export const RobotDescriptionUpload = z.object({
  uid: z.string(),
  put_url: z.string().describe("For an hour."),
});
export type RobotDescriptionUpload = z.output<typeof RobotDescriptionUpload>;

/** A description with its files, the URDF first. */
export interface RobotDescriptionDetail extends RobotDescriptionResource {
  files: { path: string; size_bytes: number }[];
}
