import { mayChange } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { examineArchive, UnfitArchive, type RobotArchive } from "@/server/features/robot-descriptions/archive";
import type { RobotDescriptionResource } from "@/server/features/robot-descriptions/resource";
import {
  removeDescription,
  requireReplaceable,
  serializeDescription,
} from "@/server/features/robot-descriptions/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma, type RobotDescription } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound, ServiceError } from "@/server/platform/errors";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { announce } from "@/server/platform/realtime/changes";
import { text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { ownStore } from "@/server/platform/storage/own";
import { storedText } from "@/server/platform/stored-text";

/**
 * Checks the zip that was sent and makes it the description of its device type, in place of the one before; repeated, it
 * changes nothing. A zip that is none is removed: throws `invalid("zip")` with the reason. Throws `not_found`, and
 * `forbidden` unless the caller began the upload or is an admin.
 */
export async function finalizeRobotDescription(ctx: Ctx, uid: string): Promise<RobotDescriptionResource> {
  const upload = await transaction(ctx, (tx) => close(tx, uid));
  if (upload.status === "ready") return serializeDescription(ctx, upload);
  const release = takeSlot("concurrent_uploads", `user:${ctx.actor.userId ?? ctx.actor.id}`);
  if (!release) throw new ServiceError("throttled", { retryAfterSeconds: 2 });
  try {
    const archive = await examine(upload);
    return await transaction(ctx, (tx) => publish(tx, uid, archive));
  } catch (error) {
    if (!(error instanceof UnfitArchive)) throw error;
    await transaction(ctx, async (tx) => {
      const found = await lock(tx, uid);
      if (found && found.status !== "ready") await removeDescription(tx, found);
    });
    throw invalid("zip", error.message);
  } finally {
    release();
  }
}

async function lock(tx: Ctx, uid: string): Promise<RobotDescription | null> {
  const locked = await query(
    tx,
    { uid: text },
    Prisma.sql`select uid from robot_descriptions
      where uid = ${uid} and organization_id = ${tx.organizationId} for update`,
  );
  return locked.length === 0 ? null : tx.db.robotDescription.findUniqueOrThrow({ where: { uid } });
}

/** Ends the upload: nothing can be sent for it any more. Throws `invalid("zip")` while bytes are missing. */
async function close(tx: Ctx, uid: string): Promise<RobotDescription> {
  const found = await lock(tx, uid);
  if (!found) throw notFound();
  if (!mayChange(tx.permissions, tx.actor.userId, found.createdById)) throw forbidden();
  if (found.status === "ready") return found;
  const stored = await objectStore().head(found.storageKey);
  if (!stored) throw invalid("zip", "It was not sent yet: PUT it to put_url first.");
  if (stored.sizeBytes !== Number(found.sizeBytes))
    throw invalid("zip", `${stored.sizeBytes} bytes were sent, ${found.sizeBytes} were declared.`);
  return tx.db.robotDescription.update({ where: { uid }, data: { status: "checking" } });
}

async function examine({ storageKey, sizeBytes }: RobotDescription): Promise<RobotArchive & { etag: string }> {
  // A stalled process might still publish an upload that began before.
  await ownStore().discard(storageKey);
  const stored = await objectStore().head(storageKey);
  if (!stored) throw new UnfitArchive("It is not stored any more. Upload it again.");
  const object = await objectStore().open(storageKey);
  try {
    return { ...(await examineArchive(object, Number(sizeBytes))), etag: stored.etag };
  } finally {
    await object.close();
  }
}

async function publish(
  tx: Ctx,
  uid: string,
  { files, missing, name, links, joints, etag }: RobotArchive & { etag: string },
): Promise<RobotDescriptionResource> {
  const found = await lock(tx, uid);
  if (!found) throw notFound();
  if (found.status === "ready") return serializeDescription(tx, found);
  // Two that are finalized at the same time replace one another.
  await query(
    tx,
    {},
    Prisma.sql`select from (select pg_advisory_xact_lock(hashtextextended(
      ${`robot description ${tx.organizationId} ${found.deviceType.toLowerCase()}`}, 0))) locked`,
  );
  const before = await requireReplaceable(tx, found.deviceType);
  if (before) await removeDescription(tx, before);
  const ready = await tx.db.robotDescription.update({
    where: { uid },
    data: {
      status: "ready",
      etag,
      files: files.map((file) => ({ ...file, path: storedText(file.path) })),
      missing: missing.map(storedText),
      name: storedText(name),
      links,
      joints,
    },
  });
  await audit(tx, {
    action: before ? "robot_description.replaced" : "robot_description.created",
    targetType: "robot_description",
    targetId: uid,
    targetName: found.deviceType,
    before: before && { files: countFiles(before), size_bytes: Number(before.sizeBytes) },
    after: { files: files.length, size_bytes: Number(found.sizeBytes), missing_meshes: missing.length },
  });
  await announce(tx, "robot_description", uid, before ? "updated" : "created");
  return serializeDescription(tx, ready);
}

const countFiles = ({ files }: RobotDescription): number => (Array.isArray(files) ? files.length : 0);
