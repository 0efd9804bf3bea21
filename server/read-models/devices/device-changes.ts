import type { DeviceChanges } from "@/domain/overview/schema";
import { isoTime } from "@/domain/wire-values";
import { getDevice } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const kinds = ["status", "firmware", "edit"] as const;
const changeRow = {
  uid: text,
  at: timestamptz,
  kind: oneOf(kinds),
  /** Who did it, or why: `heartbeat`. */
  by: text,
  before: nullable(jsonbObject),
  after: jsonbObject,
};

export type DeviceChange = Wire<typeof changeRow>;

/** Members of a device whose edits are of interest to people who watch it. */
const members = ["name", "type", "tags"] as const;

const pick = (column: "before" | "after") =>
  Prisma.sql`jsonb_strip_nulls(jsonb_build_object(${Prisma.join(
    members.map((name) => Prisma.sql`${name}::text, e.${Prisma.raw(column)}->${name}`),
  )}))`;

/**
 * What changed about a device, newest first: its status, its firmware, and its name, type and tags as they were edited.
 * Throws `not_found`.
 */
export async function listDeviceChanges(ctx: Ctx, { uid, limit, cursor }: DeviceChanges): Promise<Page<DeviceChange>> {
  await getDevice(ctx, uid);
  const org = ctx.organizationId;
  return keysetPage<DeviceChange>(ctx, {
    name: "device changes",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["c.at", "c.uid"], direction: "desc" },
    key: (change) => [isoTime(change.at), change.uid],
    // Each part ends after a page by itself: a device may have changed its status for years.
    fetch: ({ where, orderBy, limit: rows }) => {
      const part = (rowsOf: Prisma.Sql) =>
        Prisma.sql`(select * from (${rowsOf}) c where ${where} order by ${orderBy} limit ${rows})`;
      return sql(
        changeRow,
        Prisma.sql`select * from (
          ${part(Prisma.sql`select s.uid, s.at, 'status' as kind, s.reason as by, null::jsonb as before,
              jsonb_build_object('status', s.status) as after
            from device_status_changes s where s.device_id = ${uid} and s.organization_id = ${org}`)}
          union all ${part(Prisma.sql`select f.uid, f.at, 'firmware' as kind, '' as by,
              jsonb_build_object('firmware_version', f.before) as before,
              jsonb_build_object('firmware_version', f.after) as after
            from device_firmware_changes f where f.device_id = ${uid} and f.organization_id = ${org}`)}
          union all ${part(Prisma.sql`select e.uid, e.created_at as at, 'edit' as kind, e.actor_name as by,
              ${pick("before")} as before, ${pick("after")} as after
            from audit_entries e where e.organization_id = ${org} and e.target_id = ${uid}
              and e.action = 'device.updated' and jsonb_exists_any(e.after, ${[...members]}::text[])`)}
        ) c order by ${orderBy} limit ${rows}`,
      );
    },
  });
}
