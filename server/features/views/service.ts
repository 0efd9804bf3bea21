import { hasRole } from "@/domain/permissions";
import { viewsAScreen, type CreateView, type ViewFilters, type ViewScreen } from "@/domain/views/schema";
import { audit } from "@/server/features/audit/service";
import type { ViewResource } from "@/server/features/views/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound, ServiceError } from "@/server/platform/errors";
import { uuidv7 } from "@/server/platform/uid";

interface Row {
  uid: string;
  screen: string;
  name: string;
  query: string;
  shared: boolean;
  ownerId: string;
  ownerName: string;
}

/** Throws `forbidden` unless the caller is a user: keys and devices have no views. */
function requirePerson(ctx: Ctx): { userId: string; username: string } {
  const { userId, username } = ctx.actor;
  if (userId === null || username === null) throw new ServiceError("forbidden");
  return { userId, username };
}

const serialize = (ctx: Ctx, { ownerId, ownerName, screen, ...row }: Row): ViewResource => ({
  uid: row.uid,
  screen: screen as ViewScreen,
  name: row.name,
  query: row.query,
  shared: row.shared,
  owner: ownerName,
  removable: ownerId === ctx.actor.userId || hasRole(ctx.permissions, "admin"),
});

/** The caller's own and the shared views of a list, by name; at most `viewsAScreen` of them. */
export async function listViews(ctx: Ctx, { screen }: ViewFilters): Promise<{ results: ViewResource[] }> {
  const { userId } = requirePerson(ctx);
  const rows = await ctx.db.savedView.findMany({
    where: { organizationId: ctx.organizationId, screen, OR: [{ ownerId: userId }, { shared: true }] },
    orderBy: [{ name: "asc" }, { uid: "asc" }],
    take: viewsAScreen,
  });
  return { results: rows.map((row) => serialize(ctx, row)) };
}

/**
 * Saves a list's filters under a name, replacing the caller's view of that name. Throws `forbidden` for a shared view of
 * a read-only member, and `invalid("name")` when the organization has the maximum of views of that list.
 */
export async function saveView(ctx: Ctx, { shared = false, ...input }: CreateView): Promise<ViewResource> {
  const { userId, username } = requirePerson(ctx);
  if (shared && ctx.permissions.readOnly) throw forbidden();
  return transaction(ctx, async (tx) => {
    // Concurrent saves are serialized, so that the limit holds.
    await execute(
      tx,
      Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`views ${tx.organizationId} ${input.screen}`}, 0))`,
    );
    const own = { organizationId: tx.organizationId, ownerId: userId, screen: input.screen, name: input.name };
    const before = await tx.db.savedView.findUnique({ where: { organizationId_ownerId_screen_name: own } });
    if (!before) {
      const count = await tx.db.savedView.count({ where: { organizationId: tx.organizationId, screen: input.screen } });
      if (count >= viewsAScreen)
        throw invalid("name", `There are ${viewsAScreen} saved views already. Delete one first.`);
    }
    const view = await tx.db.savedView.upsert({
      where: { organizationId_ownerId_screen_name: own },
      create: { uid: uuidv7(), ...own, ownerName: username, query: input.query, shared },
      update: { query: input.query, shared },
    });
    await audit(tx, {
      action: before ? "view.updated" : "view.created",
      targetType: "view",
      targetId: view.uid,
      targetName: view.name,
    });
    return serialize(tx, view);
  });
}

/** Deletes an own view or, as an admin, a shared one. Throws `not_found`. */
export async function deleteView(ctx: Ctx, uid: string): Promise<void> {
  const { userId } = requirePerson(ctx);
  await transaction(ctx, async (tx) => {
    const view = await tx.db.savedView.findFirst({
      where: {
        uid,
        organizationId: tx.organizationId,
        OR: [{ ownerId: userId }, ...(hasRole(tx.permissions, "admin") ? [{ shared: true }] : [])],
      },
    });
    if (!view) throw notFound();
    await tx.db.savedView.delete({ where: { uid } });
    await audit(tx, { action: "view.deleted", targetType: "view", targetId: uid, targetName: view.name });
  });
}
