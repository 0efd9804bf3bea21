import { parsePath, PathError, plainPath } from "@/domain/conditions/path";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

/** The path without its indices, as units are found by; null where it cannot be read. */
function toPlainPath(field: string, topic: string): string | null {
  try {
    return plainPath(parsePath(field, topic));
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
}

/** Evidence with the units that the schemas of a recording's topics name. */
export async function withUnits(
  tx: Ctx,
  recordingId: string,
  leaves: readonly LeafEvidence[],
): Promise<LeafEvidence[]> {
  const topics = [...new Set(leaves.flatMap((leaf) => (leaf.field === null ? [] : [leaf.topic])))];
  if (topics.length === 0) return [...leaves];
  const rows = await query(
    tx,
    { topic: text, path: text, unit: text },
    Prisma.sql`select t.name as topic, f.field ->> 'path' as path, f.field ->> 'unit' as unit
      from topics t, jsonb_array_elements(t.fields) f(field)
      where t.recording_id = ${recordingId} and t.organization_id = ${tx.organizationId} and t.name = any(${topics})
        and f.field ? 'unit' and f.field ? 'path'`,
  );
  const units = new Map(rows.map(({ topic, path, unit }) => [`${topic} ${toPlainPath(path, "")}`, unit]));
  return leaves.map((leaf) => {
    const unit = leaf.field === null ? undefined : units.get(`${leaf.topic} ${toPlainPath(leaf.field, leaf.topic)}`);
    return unit === undefined ? leaf : { ...leaf, unit };
  });
}
