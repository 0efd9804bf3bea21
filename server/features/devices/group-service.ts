import { type CreateGroup, type GroupFilters, maxGroupDepth, type UpdateGroup } from "@/domain/devices/schema";
import { audit, difference } from "@/server/features/audit/service";
import type { GroupDetail, GroupResource } from "@/server/features/devices/resource";
import { unknownDevices } from "@/server/features/devices/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, int4, notNull, nullable, text, timestamptz } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

const columns = Prisma.sql`g.uid, g.name, g.description,
  (select count(*)::int from device_group_members m where m.group_id = g.uid) as device_count, g.demo,
  g.parent_id, g.created_at, g.updated_at`;

const groupRow = {
  uid: text,
  name: text,
  description: text,
  device_count: int4,
  parent_id: nullable(text),
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** Device groups, newest first. */
export async function listGroups(ctx: Ctx, { limit, cursor, ...filters }: GroupFilters): Promise<Page<GroupResource>> {
  return keysetPage<GroupResource>(ctx, {
    name: "groups",
    filters,
    page: { limit, cursor },
    order: { columns: ["g.uid"], direction: "desc" },
    key: (group) => [group.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        groupRow,
        Prisma.sql`select ${columns} from device_groups g
        where g.organization_id = ${ctx.organizationId} and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One group with the ids of its devices. Throws `not_found`. */
export async function getGroup(ctx: Ctx, uid: string): Promise<GroupDetail> {
  const [group] = await query(
    ctx,
    { ...groupRow, device_ids: arrayOf(text) },
    Prisma.sql`select ${columns},
        array(select m.device_id from device_group_members m where m.group_id = g.uid order by 1) as device_ids
      from device_groups g where g.uid = ${uid} and g.organization_id = ${ctx.organizationId}`,
  );
  if (!group) throw notFound();
  return { ...group, created_at: group.created_at.toISOString(), updated_at: group.updated_at.toISOString() };
}

async function setMembers(tx: Ctx, uid: string, deviceIds: readonly string[]): Promise<void> {
  const [unknown] = await unknownDevices(tx, deviceIds);
  if (unknown !== undefined) throw invalid("device_ids", `Invalid pk "${unknown}" - object does not exist.`);
  await tx.db.deviceGroupMember.deleteMany({ where: { groupId: uid } });
  await tx.db.deviceGroupMember.createMany({
    data: [...new Set(deviceIds)].map((deviceId) => ({ groupId: uid, deviceId })),
  });
}

/** Throws `invalid("name")` when another group of the organization has the name. */
async function claimName(tx: Ctx, name: string, uid: string | null): Promise<void> {
  // Of concurrent requests with one name, the second waits here and then reads the first one's group.
  await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`group ${tx.organizationId}`}, 0))`);
  const taken = await tx.db.deviceGroup.findUnique({
    where: { organizationId_name: { organizationId: tx.organizationId, name } },
  });
  if (taken && taken.uid !== uid) throw invalid("name", "A group with this name already exists.");
}

/**
 * Places a group with all that is inside it into another, or outermost. Throws `invalid("parent_id")` for an unknown
 * one, for one that is inside it, and where groups would be too deep inside each other.
 */
async function place(tx: Ctx, uid: string, parentId: string | null): Promise<void> {
  const of = Prisma.sql`organization_id = ${tx.organizationId}`;
  const [parent] =
    parentId === null
      ? []
      : await query(
          tx,
          { ancestors: notNull(arrayOf(text)) },
          Prisma.sql`select ancestors from device_groups where uid = ${parentId} and ${of}`,
        );
  if (parentId !== null && !parent) throw invalid("parent_id", `Invalid pk "${parentId}" - object does not exist.`);
  const path = parentId !== null && parent ? [...parent.ancestors, parentId] : [];
  if (path.includes(uid)) throw invalid("parent_id", "A group cannot be inside itself.");
  await execute(tx, Prisma.sql`update device_groups set parent_id = ${parentId} where uid = ${uid} and ${of}`);
  await execute(
    tx,
    Prisma.sql`update device_groups set ancestors = ${path}::text[] || ancestors[coalesce(array_position(ancestors, ${uid}), cardinality(ancestors) + 1):]
      where ${of} and (uid = ${uid} or ${uid} = any(ancestors))`,
  );
  const [deepest] = await query(
    tx,
    { depth: int4 },
    Prisma.sql`select coalesce(max(cardinality(ancestors)), 0) + 1 as depth from device_groups
      where ${of} and (uid = ${uid} or ${uid} = any(ancestors))`,
  );
  if (deepest && deepest.depth > maxGroupDepth)
    throw invalid("parent_id", `Groups may be at most ${maxGroupDepth} levels deep.`);
}

/** Creates a group. Throws `invalid("name")` when the name is taken, `invalid("device_ids")` for an unknown device. */
export async function createGroup(ctx: Ctx, input: CreateGroup): Promise<GroupDetail> {
  const uid = newUid("group");
  return transaction(ctx, async (tx) => {
    await claimName(tx, input.name, null);
    await tx.db.deviceGroup.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        name: input.name,
        description: input.description ?? "",
        demo: input.demo ?? false,
      },
    });
    if (input.parent_id) await place(tx, uid, input.parent_id);
    if (input.device_ids) await setMembers(tx, uid, input.device_ids);
    await audit(tx, { action: "group.created", targetType: "group", targetId: uid, targetName: input.name });
    await announce(tx, "group", uid, "created");
    return getGroup(tx, uid);
  });
}

/** Changes the given members; `device_ids` replaces the devices. Throws as `createGroup`, and `not_found`. */
export async function updateGroup(ctx: Ctx, uid: string, input: UpdateGroup): Promise<GroupDetail> {
  return transaction(ctx, async (tx) => {
    const before = await getGroup(tx, uid);
    if (Object.keys(input).length === 0) return before;
    // Also where groups move: of two moves, the second sees the tree that the first one made.
    if (input.name !== undefined || input.parent_id !== undefined) await claimName(tx, input.name ?? before.name, uid);
    if (input.parent_id !== undefined && input.parent_id !== before.parent_id) await place(tx, uid, input.parent_id);
    await tx.db.deviceGroup.update({
      where: { uid },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
        updatedAt: databaseNow(),
      },
    });
    if (input.device_ids) await setMembers(tx, uid, input.device_ids);
    const after = await getGroup(tx, uid);
    await audit(tx, {
      action: "group.updated",
      targetType: "group",
      targetId: uid,
      targetName: after.name,
      ...difference({ ...before, updated_at: "" }, { ...after, updated_at: "" }),
    });
    await announce(tx, "group", uid, "updated");
    return after;
  });
}

/**
 * Deletes a group; its devices stay, and the groups in it move to the one around it. Rules scoped to it only then apply
 * to no device. Throws `not_found`.
 */
export async function deleteGroup(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const group = await getGroup(tx, uid);
    await claimName(tx, group.name, uid);
    const inside = await tx.db.deviceGroup.findMany({
      where: { organizationId: tx.organizationId, parentId: uid },
      select: { uid: true },
    });
    for (const child of inside) await place(tx, child.uid, group.parent_id);
    await tx.db.deviceGroup.delete({ where: { uid } });
    await audit(tx, { action: "group.deleted", targetType: "group", targetId: uid, targetName: group.name });
    await announce(tx, "group", uid, "deleted");
  });
}
