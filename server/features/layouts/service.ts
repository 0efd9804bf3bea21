import { layoutTree } from "@/domain/layouts/layout-schema";
import {
  maxOwnLayouts,
  maxSharedLayouts,
  type CreateLayout,
  type LayoutFilters,
  type SetDefaultLayout,
  type UpdateLayout,
} from "@/domain/layouts/schema";
import { emptyLayout } from "@/domain/layouts/tree";
import { hasRole } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import type { LayoutDetail, LayoutResource } from "@/server/features/layouts/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound, ServiceError } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { nullable, text } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

interface Row {
  uid: string;
  name: string;
  ownerId: string | null;
  createdByName: string;
  defaultFor: string | null;
}

/** Throws `forbidden` unless the caller is a user: keys and devices have no layouts. */
export function requirePerson({ actor: { userId, username } }: Ctx): { userId: string; username: string } {
  if (userId === null || username === null) throw new ServiceError("forbidden");
  return { userId, username };
}

const mayShare = ({ permissions }: Ctx): boolean => hasRole(permissions, "admin") && !permissions.readOnly;

/** A person changes their own layouts, an admin those of the organization. */
const mayEdit = (ctx: Ctx, { ownerId }: Pick<Row, "ownerId">): boolean =>
  ownerId === null ? mayShare(ctx) : ownerId === ctx.actor.userId;

const serialize = (ctx: Ctx, { uid, name, ownerId, createdByName, defaultFor }: Row): LayoutResource => ({
  uid,
  name,
  shared: ownerId === null,
  created_by_name: createdByName,
  default_for: defaultFor === null ? null : { device_type: defaultFor === "" ? null : defaultFor },
  editable: mayEdit(ctx, { ownerId }),
});

/** The same with its tree. One that this version cannot read is empty: it must not keep a recording from opening. */
export const serializeDetail = (ctx: Ctx, row: Row & { tree: unknown }): LayoutDetail => ({
  ...serialize(ctx, row),
  tree: layoutTree.safeParse(row.tree).data ?? emptyLayout,
});

/** The caller's own layouts and those of the organization, by name. */
export async function listLayouts(ctx: Ctx, page: LayoutFilters): Promise<Page<LayoutResource>> {
  const { userId } = requirePerson(ctx);
  const row = { uid: text, name: text, owner_id: nullable(text), created_by_name: text, default_for: nullable(text) };
  return keysetPage<LayoutResource>(ctx, {
    name: "layouts",
    filters: {},
    page,
    order: { columns: ["l.name", "l.uid"], direction: "asc" },
    key: ({ name, uid }) => [name, uid],
    fetch: async ({ where, orderBy, limit }) => {
      const rows = await sql(
        row,
        Prisma.sql`select l.uid, l.name, l.owner_id, l.created_by_name, l.default_for from layouts l
          where l.organization_id = ${ctx.organizationId} and (l.owner_id is null or l.owner_id = ${userId}) and ${where}
          order by ${orderBy} limit ${limit}`,
      );
      return rows.map(({ owner_id: ownerId, created_by_name: createdByName, default_for: defaultFor, ...rest }) =>
        serialize(ctx, { ...rest, ownerId, createdByName, defaultFor }),
      );
    },
  });
}

/** One layout with its tree; also another member's own, which a link leads to. Throws `not_found`. */
export async function getLayout(ctx: Ctx, uid: string): Promise<LayoutDetail> {
  const found = await ctx.db.panelLayout.findFirst({ where: { uid, organizationId: ctx.organizationId } });
  if (!found) throw notFound();
  return serializeDetail(ctx, found);
}

/** Changes of layouts are serialized within an organization, so that limits and names hold. */
const lock = (tx: Ctx) =>
  execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`layouts ${tx.organizationId}`}, 0))`);

/** Throws `invalid("name")` where the owner has another layout of that name. */
async function checkName(tx: Ctx, ownerId: string | null, name: string, uid: string): Promise<void> {
  const other = await tx.db.panelLayout.findFirst({
    where: { organizationId: tx.organizationId, ownerId, name, NOT: { uid } },
    select: { uid: true },
  });
  if (other)
    throw invalid(
      "name",
      ownerId === null ? "The organization has a layout of this name." : "You have a layout of this name.",
    );
}

/** Throws `invalid("name")` where the owner has as many layouts as can be kept. */
async function checkRoom(tx: Ctx, ownerId: string | null): Promise<void> {
  const max = ownerId === null ? maxSharedLayouts : maxOwnLayouts;
  const count = await tx.db.panelLayout.count({ where: { organizationId: tx.organizationId, ownerId } });
  if (count >= max) throw invalid("name", `There are ${max} layouts already. Delete one first.`);
}

const toJson = (tree: CreateLayout["tree"]): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(tree)) as Prisma.InputJsonValue;

/** Saves a new layout. Throws `forbidden` for one of the organization unless the caller is an admin. */
export async function createLayout(ctx: Ctx, { name, tree, shared }: CreateLayout): Promise<LayoutDetail> {
  const { userId, username } = requirePerson(ctx);
  if (shared && !mayShare(ctx)) throw forbidden();
  return transaction(ctx, async (tx) => {
    await lock(tx);
    const { organizationId } = tx;
    const ownerId = shared ? null : userId;
    const uid = uuidv7();
    await checkName(tx, ownerId, name, uid);
    await checkRoom(tx, ownerId);
    const made = await tx.db.panelLayout.create({
      data: { uid, organizationId, ownerId, name, tree: toJson(tree), createdByName: username },
    });
    if (shared) await audit(tx, { action: "layout.created", targetType: "layout", targetId: uid, targetName: name });
    return serializeDetail(tx, made);
  });
}

/** The layout to change. Throws `not_found` where the caller does not see it, `forbidden` where it is the organization's. */
async function findToChange(tx: Ctx, uid: string) {
  const found = await tx.db.panelLayout.findFirst({
    where: { uid, organizationId: tx.organizationId, OR: [{ ownerId: null }, { ownerId: tx.actor.userId }] },
  });
  if (!found) throw notFound();
  if (!mayEdit(tx, found)) throw forbidden();
  return found;
}

/** Changes what is given. One that the organization gives back to a person is no default any more. */
export async function updateLayout(ctx: Ctx, { uid, name, tree, shared }: UpdateLayout): Promise<LayoutDetail> {
  const { userId } = requirePerson(ctx);
  return transaction(ctx, async (tx) => {
    await lock(tx);
    const before = await findToChange(tx, uid);
    const wasShared = before.ownerId === null;
    const isShared = shared ?? wasShared;
    if (isShared && !mayShare(tx)) throw forbidden();
    const ownerId = isShared ? null : (before.ownerId ?? userId);
    await checkName(tx, ownerId, name ?? before.name, uid);
    if (isShared !== wasShared) await checkRoom(tx, ownerId);
    const saved = await tx.db.panelLayout.update({
      where: { uid },
      data: {
        ownerId,
        ...(name !== undefined && { name }),
        ...(tree !== undefined && { tree: toJson(tree) }),
        ...(!isShared && { defaultFor: null }),
      },
    });
    if (isShared || wasShared)
      await audit(tx, { action: "layout.updated", targetType: "layout", targetId: uid, targetName: saved.name });
    return serializeDetail(tx, saved);
  });
}

/** Deletes an own layout or, as an admin, one of the organization. */
export async function deleteLayout(ctx: Ctx, uid: string): Promise<void> {
  requirePerson(ctx);
  await transaction(ctx, async (tx) => {
    const found = await findToChange(tx, uid);
    await tx.db.panelLayout.delete({ where: { uid } });
    if (found.ownerId === null)
      await audit(tx, { action: "layout.deleted", targetType: "layout", targetId: uid, targetName: found.name });
  });
}

/**
 * Makes a layout of the organization the one that recordings of a type of device open with, in place of another; for
 * admins. Throws `invalid("uid")` for a layout of a person.
 */
export async function setDefaultLayout(
  ctx: Ctx,
  { uid, default_for: wanted }: SetDefaultLayout,
): Promise<LayoutDetail> {
  requirePerson(ctx);
  return transaction(ctx, async (tx) => {
    await lock(tx);
    const found = await findToChange(tx, uid);
    if (found.ownerId !== null)
      throw invalid("uid", "Only a layout of the organization can be a default. Share it first.");
    const defaultFor = wanted === null ? null : (wanted.device_type ?? "");
    if (defaultFor !== null) {
      await tx.db.panelLayout.updateMany({
        where: { organizationId: tx.organizationId, defaultFor, NOT: { uid } },
        data: { defaultFor: null },
      });
    }
    const saved = await tx.db.panelLayout.update({ where: { uid }, data: { defaultFor } });
    await audit(tx, {
      action: "layout.default_set",
      targetType: "layout",
      targetId: uid,
      targetName: saved.name,
      before: { default_for: found.defaultFor },
      after: { default_for: defaultFor },
    });
    return serializeDetail(tx, saved);
  });
}
