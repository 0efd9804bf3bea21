import pMap from "p-map";
import { getStorageUse } from "@/server/features/uploads/quota-service";
import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, sql } from "@/server/platform/db";
import { int4, nullable, text, timestamptz, type Wire } from "@/server/platform/rows";

const concurrency = 4;

const listedRow = {
  uid: text,
  slug: text,
  name: text,
  members: int4,
  devices: int4,
  recordings: int4,
  created_at: timestamptz,
  /** When it will be deleted; null unless its owner asked for that. */
  deletes_at: nullable(timestamptz),
};

/** An organization as the operator sees it in the list. */
export interface ListedOrganization extends Wire<typeof listedRow> {
  /** Bytes in the installation's own store, as the quota counts them. */
  storage_bytes: number;
}

/** The next organizations after a uid. For the command line only. */
export async function listOrganizations(after: string, limit: number): Promise<ListedOrganization[]> {
  const rows = await sql(
    listedRow,
    Prisma.sql`select o.uid, o.slug, o.name, o.created_at, o.deletes_at,
        (select count(*) from memberships m where m.organization_id = o.uid)::int as members,
        (select count(*) from devices d where d.organization_id = o.uid)::int as devices,
        (select count(*) from recordings r where r.organization_id = o.uid)::int as recordings
      from organizations o where o.uid > ${after} order by o.uid limit ${limit}::int`,
  );
  return pMap(
    rows,
    async (row) => ({ ...row, storage_bytes: (await getStorageUse({ db: prisma }, row.uid)).total_bytes }),
    { concurrency },
  );
}
