import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, int8, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

const listedRow = {
  uid: text,
  slug: text,
  name: text,
  members: int4,
  devices: int4,
  recordings: int4,
  /** Of recordings, datasets and exports, also of what lies in the organization's own buckets. */
  storage_bytes: int8,
  created_at: timestamptz,
  /** When it will be deleted; null unless its owner asked for that. */
  deletes_at: nullable(timestamptz),
};

/** An organization as the operator sees it in the list. */
export type ListedOrganization = Wire<typeof listedRow>;

/** The next organizations after a uid. For the command line only. */
export const listOrganizations = (after: string, limit: number): Promise<ListedOrganization[]> =>
  sql(
    listedRow,
    Prisma.sql`select o.uid, o.slug, o.name, o.created_at, o.deletes_at,
        (select count(*) from memberships m where m.organization_id = o.uid)::int as members,
        (select count(*) from devices d where d.organization_id = o.uid)::int as devices,
        r.recordings, (r.bytes + s.bytes + e.bytes)::int8 as storage_bytes
      from (select * from organizations where uid > ${after} order by uid limit ${limit}::int) o,
        lateral (select count(*)::int as recordings, coalesce(sum(size_bytes), 0) as bytes from recordings
          where organization_id = o.uid) r,
        lateral (select coalesce(sum(size_bytes), 0) as bytes from datasets where organization_id = o.uid) s,
        lateral (select coalesce(sum(size_bytes), 0) as bytes from exports where organization_id = o.uid) e
      order by o.uid`,
  );
