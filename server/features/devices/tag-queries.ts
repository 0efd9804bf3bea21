import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";

/**
 * Objects whose tags have one row each in list order (device_tags, recording_tags), so that a tag filter reads an index
 * range.
 */
export type Tagged = "device" | "recording";

const table = { device: Prisma.raw("device_tags"), recording: Prisma.raw("recording_tags") };
const column = { device: Prisma.raw("device_id"), recording: Prisma.raw("recording_id") };

/** SQL `and …` for rows that have all of the tags. `uid` is the SQL name of the row's uid. */
export function tagFilter(kind: Tagged, organizationId: string, tags: readonly string[], uid: string): Prisma.Sql {
  const each = tags.map(
    (tag) => Prisma.sql`and exists (select 1 from ${table[kind]} t
      where t.organization_id = ${organizationId} and t.tag = ${tag} and t.${column[kind]} = ${Prisma.raw(uid)})`,
  );
  return Prisma.join(each, " ");
}

/** Replaces the tag rows of an object. Called with every change of its `tags`. */
export async function writeTags(tx: Ctx, kind: Tagged, uid: string, tags: readonly string[]): Promise<void> {
  await execute(tx, Prisma.sql`delete from ${table[kind]} where ${column[kind]} = ${uid}`);
  if (tags.length === 0) return;
  await execute(
    tx,
    Prisma.sql`insert into ${table[kind]} (organization_id, tag, ${column[kind]})
      select ${tx.organizationId}, tag, ${uid} from unnest(${[...tags]}::text[]) as tag`,
  );
}
