import { mayChange } from "@/domain/permissions";
import { maxSavedQueries, type SaveQuery } from "@/domain/signals/schema";
import { audit } from "@/server/features/audit/service";
import type { SavedQueryResource } from "@/server/features/signals/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { uuidv7 } from "@/server/platform/uid";

interface Row {
  uid: string;
  name: string;
  sql: string;
  createdById: string | null;
  createdByName: string;
}

const serialize = ({ uid, name, sql, createdById, createdByName }: Row): SavedQueryResource => ({
  uid,
  name,
  sql,
  created_by: createdById,
  created_by_name: createdByName,
});

/** The saved queries of the organization, by name; at most `maxSavedQueries`. */
export async function listQueries(ctx: Ctx): Promise<{ results: SavedQueryResource[] }> {
  const rows = await ctx.db.savedQuery.findMany({
    where: { organizationId: ctx.organizationId },
    orderBy: [{ name: "asc" }, { uid: "asc" }],
    take: maxSavedQueries,
  });
  return { results: rows.map(serialize) };
}

/**
 * Saves a query under a name for the whole organization, replacing the caller's (for admins any) query of that name.
 * Throws `invalid("name")` for the name of another member's query and when there are `maxSavedQueries` already.
 */
export async function saveQuery(ctx: Ctx, { name, sql }: SaveQuery): Promise<SavedQueryResource> {
  return transaction(ctx, async (tx) => {
    // Concurrent saves are serialized, so that the limit and the unique name hold.
    await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`queries ${tx.organizationId}`}, 0))`);
    const { organizationId, permissions, actor } = tx;
    const before = await tx.db.savedQuery.findUnique({ where: { organizationId_name: { organizationId, name } } });
    if (before && !mayChange(permissions, actor.userId, before.createdById))
      throw invalid("name", `${before.createdByName} has saved another query under this name.`);
    if (!before && (await tx.db.savedQuery.count({ where: { organizationId } })) >= maxSavedQueries)
      throw invalid("name", `There are ${maxSavedQueries} saved queries already. Delete one first.`);
    const saved = before
      ? await tx.db.savedQuery.update({ where: { uid: before.uid }, data: { sql } })
      : await tx.db.savedQuery.create({
          data: {
            uid: uuidv7(),
            organizationId,
            name,
            sql,
            createdById: actor.userId,
            createdByName: actor.username ?? "",
          },
        });
    await audit(tx, {
      action: before ? "query.updated" : "query.created",
      targetType: "query",
      targetId: saved.uid,
      targetName: name,
    });
    return serialize(saved);
  });
}

/** Deletes a query. Throws `not_found`, and `forbidden` unless the caller saved it or is an admin. */
export async function deleteQuery(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const saved = await tx.db.savedQuery.findFirst({ where: { uid, organizationId: tx.organizationId } });
    if (!saved) throw notFound();
    if (!mayChange(tx.permissions, tx.actor.userId, saved.createdById)) throw forbidden();
    await tx.db.savedQuery.delete({ where: { uid } });
    await audit(tx, { action: "query.deleted", targetType: "query", targetId: uid, targetName: saved.name });
  });
}
