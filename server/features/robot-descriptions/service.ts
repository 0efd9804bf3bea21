import { z } from "zod";
import { mayChange } from "@/domain/permissions";
import type { CreateRobotDescription, RobotDescriptionFilters } from "@/domain/robot-descriptions/schema";
import { audit } from "@/server/features/audit/service";
import { ArchivedFile } from "@/server/features/robot-descriptions/archive";
import type {
  RobotDescriptionDetail,
  RobotDescriptionResource,
  RobotDescriptionUpload,
} from "@/server/features/robot-descriptions/resource";
import { requireQuota } from "@/server/features/uploads/quota-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma, type RobotDescription } from "@/server/platform/database/generated/client";
import { sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, int4, nullable, text, timestamptz } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { uuidv7 } from "@/server/platform/uid";

/** Seconds for which links to send and to download a zip are valid. */
const linkSeconds = 3_600;

const Files = z.array(ArchivedFile);

const row = {
  uid: text,
  device_type: text,
  name: text,
  size_bytes: int4,
  file_count: int4,
  link_count: int4,
  joint_count: int4,
  missing_meshes: arrayOf(text),
  created_by: nullable(text),
  created_by_name: text,
  created_at: timestamptz,
  storage_key: text,
};

/** A link to a zip, valid for an hour; one that begins with `/` is on our own server. */
async function signDownload({ actor }: Ctx, key: string, deviceType: string): Promise<string> {
  const target = { key, fileName: displayName(`${deviceType}.zip`), by: actor, ttlSeconds: linkSeconds };
  return (await objectStore().downloadUrl(target)) ?? "";
}

/** The organization's robot descriptions, by device type. */
export async function listRobotDescriptions(
  ctx: Ctx,
  { limit, cursor, ...filters }: RobotDescriptionFilters,
): Promise<Page<RobotDescriptionResource>> {
  const { device_type: type = "" } = filters;
  const ofType = type === "" ? Prisma.sql`true` : Prisma.sql`d.device_type ilike ${`%${likeText(type)}%`}`;
  return keysetPage<RobotDescriptionResource>(ctx, {
    name: "robot-descriptions",
    filters,
    page: { limit, cursor },
    order: { columns: ["d.device_type"], direction: "asc" },
    key: ({ device_type }) => [device_type],
    fetch: async ({ where, orderBy, limit: rows }) => {
      const list = await sql(
        row,
        Prisma.sql`select d.uid, d.device_type, d.name, d.size_bytes::int4, jsonb_array_length(d.files) as file_count,
            d.links as link_count, d.joints as joint_count, coalesce(d.missing, '{}') as missing_meshes,
            d.created_by_id as created_by, d.created_by_name, d.created_at, d.storage_key
          from robot_descriptions d
          where d.organization_id = ${ctx.organizationId} and d.status = 'ready' and ${ofType} and ${where}
          order by ${orderBy} limit ${rows}`,
      );
      return Promise.all(
        list.map(async ({ storage_key, ...each }) => ({
          ...each,
          download_url: await signDownload(ctx, storage_key, each.device_type),
        })),
      );
    },
  });
}

export const serializeDescription = async (ctx: Ctx, found: RobotDescription): Promise<RobotDescriptionResource> => ({
  uid: found.uid,
  device_type: found.deviceType,
  name: found.name,
  size_bytes: Number(found.sizeBytes),
  file_count: Files.parse(found.files).length,
  link_count: found.links,
  joint_count: found.joints,
  missing_meshes: found.missing,
  created_by: found.createdById,
  created_by_name: found.createdByName,
  created_at: found.createdAt.toISOString(),
  download_url: await signDownload(ctx, found.storageKey, found.deviceType),
});

/** One description with its files; one that is being uploaded is not there yet. Throws `not_found`. */
export async function getRobotDescription(ctx: Ctx, uid: string): Promise<RobotDescriptionDetail> {
  const { organizationId } = ctx;
  const found = await ctx.db.robotDescription.findFirst({ where: { uid, organizationId, status: "ready" } });
  if (!found) throw notFound();
  const files = Files.parse(found.files).map(({ path, size }) => ({ path, size_bytes: size }));
  return { ...(await serializeDescription(ctx, found)), files };
}

/**
 * The description of a type of devices, without regard to upper and lower case; of several that an earlier version let in, the
 * one written alike.
 */
export async function findDescriptionOfType(ctx: Ctx, type: string): Promise<RobotDescription | null> {
  const alike = await ctx.db.robotDescription.findMany({
    where: {
      organizationId: ctx.organizationId,
      deviceType: { equals: likeText(type), mode: "insensitive" },
      status: "ready",
    },
    orderBy: { createdAt: "desc" },
  });
  return alike.find(({ deviceType }) => deviceType === type) ?? alike[0] ?? null;
}

/** Throws `invalid("device_type")` when another member's description of that type would be replaced. */
export async function requireReplaceable(tx: Ctx, deviceType: string): Promise<RobotDescription | null> {
  const before = await findDescriptionOfType(tx, deviceType);
  if (before && !mayChange(tx.permissions, tx.actor.userId, before.createdById))
    throw invalid("device_type", `${before.createdByName} has uploaded the description of this device type.`);
  return before;
}

/**
 * Begins the upload of a zip: the description of the device type stays as it is until this one is finalized. Throws
 * `invalid` when it would exceed the quota, or replace another member's.
 */
export async function beginRobotDescription(ctx: Ctx, input: CreateRobotDescription): Promise<RobotDescriptionUpload> {
  const uid = uuidv7();
  const storageKey = `robot-descriptions/${ctx.organizationId}/${uid}`;
  await transaction(ctx, async (tx) => {
    const { organizationId, actor } = tx;
    await requireReplaceable(tx, input.device_type);
    await requireQuota(tx, storageKey, BigInt(input.size_bytes), "size_bytes");
    await tx.db.robotDescription.create({
      data: {
        uid,
        organizationId,
        deviceType: input.device_type,
        storageKey,
        sizeBytes: BigInt(input.size_bytes),
        createdById: actor.userId,
        createdByName: actor.username ?? actor.name,
      },
    });
  });
  const { url } = await objectStore().uploadUrl({
    key: storageKey,
    sizeBytes: input.size_bytes,
    account: `user:${ctx.actor.userId ?? ctx.actor.id}`,
    // Through our own server, which takes no byte any more once the zip is checked.
    direct: false,
    ttlSeconds: linkSeconds,
  });
  return { uid, put_url: url };
}

/** Removes a description and its zip in the transaction. */
export async function removeDescription(tx: Ctx, { uid, storageKey }: RobotDescription): Promise<void> {
  await tx.db.robotDescription.delete({ where: { uid } });
  await enqueue(tx, jobs.deleteStoredObjects, { prefix: storageKey });
}

/** Deletes a description. Throws `not_found`, and `forbidden` unless the caller uploaded it or is an admin. */
export async function deleteRobotDescription(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const found = await tx.db.robotDescription.findFirst({ where: { uid, organizationId: tx.organizationId } });
    if (!found) throw notFound();
    if (!mayChange(tx.permissions, tx.actor.userId, found.createdById)) throw forbidden();
    await removeDescription(tx, found);
    if (found.status !== "ready") return;
    await audit(tx, {
      action: "robot_description.deleted",
      targetType: "robot_description",
      targetId: uid,
      targetName: found.deviceType,
    });
    await announce(tx, "robot_description", uid, "deleted");
  });
}
