import {
  type CreateOrganization,
  type OrganizationFilters,
  type UpdateOrganization,
  OrganizationSettings,
} from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";
import { checkMayRequire } from "@/server/features/accounts/second-factor-service";
import { shortenKeys } from "@/server/features/api-keys/expiry-service";
import { audit, difference } from "@/server/features/audit/service";
import { lockMembership, requireOwn, requireUser } from "@/server/features/membership/access-service";
import {
  claimName,
  findFreeSlug,
  foundOrganization,
  type FreeSlug,
} from "@/server/features/membership/founding-service";
import { toSlug } from "@/server/features/membership/names";
import type { OrganizationResource } from "@/server/features/organizations/resource";
import { requireRole, type Ctx, type PersonCtx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { bool, int4, jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const columns = Prisma.sql`
  o.uid, o.name, o.slug, o.logo_url, o.settings, m.role, m.read_only, o.deletes_at, o.created_at,
  (select count(*)::int from memberships n where n.organization_id = o.uid) as member_count`;
const organizationRow = {
  uid: text,
  name: text,
  slug: text,
  logo_url: nullable(text),
  settings: jsonb(OrganizationSettings),
  role: oneOf(roles),
  read_only: bool,
  deletes_at: nullable(timestamptz),
  created_at: timestamptz,
  member_count: int4,
};

const orders = {
  name: { column: "o.name", key: (row: OrganizationResource) => row.name },
  slug: { column: "o.slug", key: (row: OrganizationResource) => row.slug },
};

/**
 * The organizations of the caller, ordered by creation time by default. A key lists all of its user's organizations.
 * One that is being deleted is listed for its owner only.
 */
export async function listOrganizations(ctx: Ctx, filters: OrganizationFilters): Promise<Page<OrganizationResource>> {
  const { limit, cursor, ordering = "created_at" } = filters;
  const user = requireUser(ctx);
  return keysetPage<OrganizationResource>(ctx, {
    name: "organizations",
    filters: { of: user.uid },
    page: { limit, cursor },
    ...toOrder(ordering, "o.uid", orders),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        organizationRow,
        Prisma.sql`
        select ${columns} from memberships m join organizations o on o.uid = m.organization_id
        where m.user_id = ${user.uid} and (o.deletes_at is null or m.role = 'owner') and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** The organization the caller acts in; `slug` must name it. Throws `not_found`. */
export async function getOrganization(ctx: Ctx, slug: string): Promise<OrganizationResource> {
  const [row] = await query(
    ctx,
    organizationRow,
    Prisma.sql`
      select ${columns} from organizations o
      join memberships m on m.organization_id = o.uid and m.user_id = ${ctx.actor.userId ?? ""}
      where o.uid = ${ctx.organizationId} and o.slug = ${slug}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    deletes_at: row.deletes_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** The slug of an organization whose name has no letter that a slug could have. */
const unnamed = "organization";

/** The slug that a new organization of this name would get now. */
export const previewSlug = (ctx: PersonCtx, name: string): Promise<FreeSlug> =>
  findFreeSlug(ctx, toSlug(name) ?? unnamed);

/** Creates another organization, owned by the caller; its slug is derived from its name. */
export async function createOrganization(ctx: PersonCtx, input: CreateOrganization): Promise<OrganizationResource> {
  const user = requireUser(ctx);
  return transaction(ctx, async (tx) => {
    const slug = await claimName(tx, toSlug(input.name) ?? unnamed);
    const founded = await foundOrganization(tx, user, { name: input.name, slug });
    return getOrganization(founded, slug);
  });
}

function mergeSettings(before: OrganizationSettings, given: OrganizationSettings = {}): OrganizationSettings {
  const retention = { ...before.retention, ...given.retention };
  return { ...before, ...given, ...(given.retention && { retention }) };
}

/**
 * Changes the given fields; `settings` and its `retention` are merged. A limit on the life of keys also applies to existing
 * keys, counted from now. Only those who have a second factor can require one of all. Throws `invalid("settings")`.
 */
export async function updateOrganization(
  ctx: Ctx,
  slug: string,
  input: UpdateOrganization,
): Promise<OrganizationResource> {
  requireRole(ctx, "admin");
  await requireOwn(ctx, slug);
  return transaction(ctx, async (tx) => {
    await lockMembership(tx, "admin");
    const before = await getOrganization(tx, slug);
    const settings = mergeSettings(before.settings, input.settings);
    if (settings.require_second_factor && !before.settings.require_second_factor) await checkMayRequire(tx);
    await tx.db.organization.update({
      where: { uid: tx.organizationId },
      data: {
        ...(input.name !== undefined && { name: input.name }),
        ...(input.logo_url !== undefined && { logoUrl: input.logo_url }),
        ...(input.settings !== undefined && { settings }),
      },
    });
    const limitDays = input.settings?.key_expiry_days;
    if (limitDays !== undefined && limitDays !== null) await shortenKeys(tx, limitDays);
    const after = await getOrganization(tx, slug);
    const changed = difference(before, after);
    if (changed) {
      const target = { targetType: "organization", targetId: tx.organizationId, targetName: after.name };
      await audit(tx, { action: "organization.updated", ...target, ...changed });
    }
    return after;
  });
}
