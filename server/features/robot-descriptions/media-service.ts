import { z } from "zod";
import { findRecording } from "@/server/features/recordings/service";
import { ArchivedFile } from "@/server/features/robot-descriptions/archive";
import { findDescriptionOfType } from "@/server/features/robot-descriptions/service";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";

const Files = z.array(ArchivedFile);

/** A robot description as pages draw it: files are found by their position at `/media/robot-descriptions/<uid>/files/`. */
export interface DrawnRobot {
  uid: string;
  device_type: string;
  /** The URDF first. */
  paths: string[];
}

/** The description of the type of a recording's device; null when there is none. Throws `not_found`. */
export async function findRobotOfRecording(ctx: Ctx, recordingId: string): Promise<DrawnRobot | null> {
  const { organizationId } = ctx;
  const { device_id: uid } = await findRecording(ctx, recordingId);
  const device = await ctx.db.device.findFirst({ where: { uid, organizationId }, select: { type: true } });
  if (!device?.type) return null;
  const found = await findDescriptionOfType(ctx, device.type);
  if (!found) return null;
  const paths = Files.parse(found.files).map(({ path }) => path);
  return { uid: found.uid, device_type: found.deviceType, paths };
}

/** What the page of a device says of its robot description. */
export interface DeviceRobot {
  uid: string;
  /** As the description has it. */
  device_type: string;
  name: string;
  link_count: number;
  joint_count: number;
}

/** The description of a device's type; null when there is none. Throws `not_found`. */
export async function findRobotOfDevice(ctx: Ctx, uid: string): Promise<DeviceRobot | null> {
  const { organizationId } = ctx;
  const device = await ctx.db.device.findFirst({ where: { uid, organizationId }, select: { type: true } });
  if (!device) throw notFound();
  const found = await findDescriptionOfType(ctx, device.type);
  if (!found) return null;
  const { deviceType, name, links, joints } = found;
  return { uid: found.uid, device_type: deviceType, name, link_count: links, joint_count: joints };
}

/** Where a file of a description lies in the store, for pages; null when there is none. */
export async function findRobotFileMedia(
  ctx: Ctx,
  uid: string,
  position: number,
): Promise<{ key: string; file: ArchivedFile } | null> {
  const found = await ctx.db.robotDescription.findFirst({
    where: { uid, organizationId: ctx.organizationId, status: "ready" },
  });
  const file = found ? Files.parse(found.files)[position] : undefined;
  return found && file ? { key: found.storageKey, file } : null;
}
