import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb } from "@/server/platform/db";
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

/** Writes many entries in one statement, each with the organization, actor and address of its context. */
export async function auditSeveral(on: OnDb, entries: readonly (readonly [Ctx, AuditRecord])[]): Promise<void> {
  const rows = entries.map(([ctx, record]) => ({
    uid: uuidv7(),
    organization_id: ctx.organizationId,
    actor_type: ctx.actor.type,
    actor_id: ctx.actor.id,
    actor_name: ctx.actor.name,
    action: record.action,
    target_type: record.targetType,
    target_id: record.targetId,
    target_name: record.targetName ?? "",
    before: record.before ?? null,
    after: record.after ?? null,
    ip: ctx.ip,
    request_id: ctx.requestId,
  }));
  await execute(
    on,
    Prisma.sql`insert into audit_entries (uid, organization_id, actor_type, actor_id, actor_name, action, target_type,
        target_id, target_name, before, after, ip, request_id)
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as e(uid text, organization_id text, actor_type text,
        actor_id text, actor_name text, action text, target_type text, target_id text, target_name text, before jsonb,
        after jsonb, ip text, request_id text)`,
  );
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
