import { invitationStatuses } from "@/domain/organizations/schema";
import { roles } from "@/domain/permissions";
import { isoTime } from "@/domain/wire-values";
import type { AcceptedInvitation } from "@/server/features/membership/resource";
import type { Ctx } from "@/server/platform/context";
import { sha256 } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { notFound } from "@/server/platform/errors";
import { bool, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

const tokenShape = /^[A-Za-z0-9_-]{43}$/;
export const formatLink = (token: string): string => `${env.PUBLIC_URL}/invite/${token}`;

/** A pending invitation counts as expired from its expiry on, also before the hourly job marks it. */
export const status = Prisma.sql`case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end`;
export const columns = Prisma.sql`
  i.uid, i.organization_id, i.email, i.role, i.read_only, ${status} as status, i.token_sealed, i.invited_by_id as invited_by,
  b.username as invited_by_username, i.expires_at, i.created_at`;
export const invitationRow = {
  uid: text,
  organization_id: text,
  email: text,
  role: oneOf(roles),
  read_only: bool,
  status: oneOf(invitationStatuses),
  token_sealed: text,
  invited_by: nullable(text),
  invited_by_username: nullable(text),
  expires_at: timestamptz,
  created_at: timestamptz,
};
export const tables = Prisma.sql`invitations i left join users b on b.uid = i.invited_by_id`;

/** A pending invitation by its token, as the invited person sees it. Throws `not_found` for any other token. */
export async function readByToken(
  ctx: Pick<Ctx, "db">,
  token: string,
): Promise<AcceptedInvitation & { organization_id: string; read_only: boolean }> {
  if (!tokenShape.test(token)) throw notFound();
  const [row] = await query(
    ctx,
    { ...invitationRow, organization_name: text, organization_slug: text },
    Prisma.sql`select ${columns}, o.name as organization_name, o.slug as organization_slug
      from ${tables} join organizations o on o.uid = i.organization_id where i.token_hash = ${sha256(token)} and o.deletes_at is null`,
  );
  if (!row || row.status !== "pending") throw notFound();
  return {
    organization_id: row.organization_id,
    invited_email: row.email,
    uid: row.uid,
    organization_name: row.organization_name,
    organization_slug: row.organization_slug,
    invited_by_username: row.invited_by_username,
    role: row.role,
    read_only: row.read_only,
    status: row.status,
    expires_at: isoTime(row.expires_at),
    is_expired: false,
    accept_url: formatLink(token),
    copy_link: formatLink(token),
    created_at: isoTime(row.created_at),
  };
}
