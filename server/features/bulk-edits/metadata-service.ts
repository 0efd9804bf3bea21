import { isDeepStrictEqual } from "node:util";
import type { RunningEdit, StepOutcome, WaitingItem } from "@/server/features/bulk-edits/step";
import { unread } from "@/server/features/datasets/item-deletion-service";
import { mergeMetadata } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { bool, jsonbObject, type Native, text } from "@/server/platform/rows";

const row = { uid: text, key: text, metadata: jsonbObject, is_pending: bool };

const changedSince = "Its metadata was changed since.";

/** Changes the metadata of the items of one step; an undo puts back what is still as its edit left it. */
export async function changeMetadata(
  tx: Ctx,
  edit: RunningEdit,
  waiting: readonly WaitingItem[],
): Promise<StepOutcome[]> {
  const rows = await query(
    tx,
    row,
    Prisma.sql`select i.uid, i.key, i.metadata, i.status = 'pending' as is_pending from items i
      where i.dataset_id = ${edit.datasetId} and i.uid = any(${waiting.map(({ uid }) => uid)}) order by i.uid for no key update of i`,
  );
  const restored = new Map(waiting.map(({ uid, before }) => [uid, before]));
  const outcomes = rows.map((item) => changeOne(item, edit, restored.get(item.uid) ?? null));
  const written = outcomes.filter(({ metadata }) => metadata !== null);
  await execute(
    tx,
    Prisma.sql`update items i set metadata = v.metadata::jsonb, updated_at = now()
      from unnest(${written.map(({ uid }) => uid)}::text[], ${written.map(({ metadata }) => JSON.stringify(metadata))}::text[]) as v(uid, metadata)
      where i.uid = v.uid`,
  );
  return outcomes;
}

type Outcome = StepOutcome & { metadata: Record<string, unknown> | null };

function changeOne(item: Native<typeof row>, edit: RunningEdit, restored: Record<string, unknown> | null): Outcome {
  const { uid, key, metadata } = item;
  const refuse = (error: string): Outcome => ({ uid, key, error, before: null, metadata: null });
  if (item.is_pending) return refuse(unread);
  const set = edit.metadata ?? {};
  const isAsSet = (member: string) => isDeepStrictEqual(metadata[member] ?? null, set[member] ?? null);
  const change = restored ?? set;
  if (restored && !Object.keys(restored).every(isAsSet)) return refuse(changedSince);
  const members = Object.keys(change).filter(
    (member) => !isDeepStrictEqual(metadata[member] ?? null, change[member] ?? null),
  );
  if (members.length === 0) return { uid, key, error: null, before: null, metadata: null };
  const before = Object.fromEntries(members.map((member) => [member, metadata[member] ?? null]));
  try {
    return { uid, key, error: null, before, metadata: mergeMetadata(metadata, change) };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return refuse(error.text());
  }
}
