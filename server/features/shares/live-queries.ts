import { Prisma } from "@/server/platform/database/generated/client";
import { prisma, query } from "@/server/platform/db";
import { int8, text } from "@/server/platform/rows";

/** What a link that was handed out for a share may read. */
export interface LiveShare {
  organization_id: string;
  recording_id: string;
  from_ns: bigint;
  to_ns: bigint;
}

/** A share that is neither revoked nor expired; null for any other. */
export async function findLiveShare(uid: string): Promise<LiveShare | null> {
  const [share] = await query(
    { db: prisma },
    { organization_id: text, recording_id: text, from_ns: int8, to_ns: int8 },
    Prisma.sql`select s.organization_id, s.recording_id, s.from_ns, s.to_ns
      from recording_shares s
      join recordings r on r.uid = s.recording_id and r.organization_id = s.organization_id
      join organizations o on o.uid = s.organization_id
      where s.uid = ${uid} and s.revoked_at is null and s.expires_at > now() and o.deletes_at is null`,
  );
  return share ?? null;
}
