import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";

/** An action on an object, such as `device.updated`. `before` and `after` contain only the members that changed. */
export interface AuditRecord {
  action: string;
  targetType: string;
  targetId: string;
  targetName?: string;
  before?: Record<string, unknown> | null;
  after?: Record<string, unknown> | null;
}

/**
 * The insert of an entry, for services that write it within a larger statement; `from` makes it depend on rows of that
 * statement.
 */
export function auditInsert(ctx: Ctx, record: AuditRecord, from: Prisma.Sql = Prisma.empty): Prisma.Sql {
  const json = (value: Record<string, unknown> | null | undefined) => (value ? JSON.stringify(value) : null);
  return Prisma.sql`
    insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type, target_id,
      target_name, before, after, ip, request_id)
    select ${uuidv7()}, ${ctx.organizationId}, ${ctx.actor.type}, ${ctx.actor.id}, ${ctx.actor.name}, ${record.action},
      ${record.targetType}, ${record.targetId}, ${record.targetName ?? ""}, ${json(record.before)}::jsonb,
      ${json(record.after)}::jsonb, ${ctx.ip}, ${ctx.requestId} ${from}`;
}

/** Writes an audit entry with actor and address of `ctx`, in its transaction. Every service that writes calls it. */
export async function audit(ctx: Ctx, record: AuditRecord): Promise<void> {
  await execute(ctx, auditInsert(ctx, record));
}

/** The members that differ between two states, as audit entries contain them; null when none does. */
export function difference<T extends Record<string, unknown>>(
  before: T,
  after: T,
): { before: Partial<T>; after: Partial<T> } | null {
  const changed = Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  if (changed.length === 0) return null;
  const pick = (from: T) => Object.fromEntries(changed.map((key) => [key, from[key]])) as Partial<T>;
  return { before: pick(before), after: pick(after) };
}
