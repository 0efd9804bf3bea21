import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { addUnits, type FieldUnit } from "@/domain/conditions/units";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

/** The units that the schemas of recordings' topics name, by the recording's uid. */
export async function listUnits(
  tx: Ctx,
  recordingIds: readonly string[],
  topics: readonly string[],
): Promise<Map<string, FieldUnit[]>> {
  if (topics.length === 0 || recordingIds.length === 0) return new Map();
  const rows = await query(
    tx,
    { recording: text, topic: text, path: text, unit: text },
    Prisma.sql`select t.recording_id as recording, t.name as topic, f.field ->> 'path' as path, f.field ->> 'unit' as unit
      from topics t, jsonb_array_elements(t.fields) f(field)
      where t.recording_id = any(${[...recordingIds]}) and t.organization_id = ${tx.organizationId}
        and t.name = any(${[...topics]}) and f.field ? 'unit' and f.field ? 'path'`,
  );
  const units = new Map<string, FieldUnit[]>();
  for (const { recording, ...field } of rows) {
    const known = units.get(recording);
    if (known) known.push(field);
    else units.set(recording, [field]);
  }
  return units;
}

/** Evidence with the units that the schemas of a recording's topics name. */
export async function withUnits(
  tx: Ctx,
  recordingId: string,
  leaves: readonly LeafEvidence[],
): Promise<LeafEvidence[]> {
  const topics = [...new Set(leaves.flatMap((leaf) => (leaf.field === null ? [] : [leaf.topic])))];
  const units = await listUnits(tx, [recordingId], topics);
  return addUnits(leaves, units.get(recordingId) ?? []);
}
