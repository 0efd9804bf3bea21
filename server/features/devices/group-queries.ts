import { Prisma } from "@/server/platform/database/generated/client";

/** SQL: the device is in one of the groups, or in a group inside one of them. */
export const isInGroups = (device: Prisma.Sql, groups: readonly string[]): Prisma.Sql =>
  Prisma.sql`exists (select 1 from device_group_members m join device_groups g on g.uid = m.group_id
    where m.device_id = ${device} and (g.uid = any(${[...groups]}) or g.ancestors && ${[...groups]}::text[]))`;

/** SQL: the uids of the groups that a device is in, and of those around them. */
export const selectAllGroups = (device: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`select unnest(g.uid || g.ancestors) from device_group_members m join device_groups g on g.uid = m.group_id
    where m.device_id = ${device}`;
