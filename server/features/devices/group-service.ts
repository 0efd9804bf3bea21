import type { CreateGroup, GroupFilters, UpdateGroup } from "@/domain/devices/schema";
import { audit, difference } from "@/server/features/audit/service";
import type { GroupDetail, GroupResource } from "@/server/features/devices/resource";
import { unknownDevices } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, int4, text, timestamptz } from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

const columns = Prisma.sql`g.uid, g.name, g.description,
  (select count(*)::int from device_group_members m where m.group_id = g.uid) as device_count, g.demo,
  g.created_at, g.updated_at`;

const groupRow = {
  uid: text,
  name: text,
  description: text,
  device_count: int4,
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
    if (input.name !== undefined) await claimName(tx, input.name, uid);
    await tx.db.deviceGroup.update({
      where: { uid },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.description !== undefined && { description: input.description }),
        updatedAt: new Date(),
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

/** Deletes a group; its devices stay. Rules scoped to it only then apply to no device. Throws `not_found`. */
export async function deleteGroup(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const group = await getGroup(tx, uid);
    await tx.db.deviceGroup.delete({ where: { uid } });
    await audit(tx, { action: "group.deleted", targetType: "group", targetId: uid, targetName: group.name });
    await announce(tx, "group", uid, "deleted");
  });
}
