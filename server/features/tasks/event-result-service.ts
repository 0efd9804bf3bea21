import { z } from "zod";
import type { ResultEventData } from "@/domain/platform-events/payloads";
import { StoredAnnotation } from "@/domain/tasks/schema";
import { visibleResults } from "@/server/features/tasks/result-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, jsonb, type Native, nullable, text } from "@/server/platform/rows";

/** An event contains the annotations of its result up to this many bytes of JSON. */
const maxEventBytes = 1024 * 1024;

const size = Prisma.sql`coalesce(r.annotation_bytes, octet_length(r.annotations::text))`;
const fits = Prisma.sql`${size} <= ${maxEventBytes}::int`;

/** SQL: how many bytes of annotations an event about the result that the column names contains. */
export const eventBytes = (result: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`coalesce((select case when ${fits} then ${size} end from results r where r.uid = ${result}), 0)`;

const resultRow = {
  uid: text,
  dataset_item_uid: text,
  annotation_count: int4,
  submitted_by: text,
  reason: text,
  decided_by: nullable(text),
  annotations: nullable(jsonb(z.array(StoredAnnotation))),
};

/**
 * Adds `result_data` and `result_metadata` to the payloads of results' events. They are in no stored event: annotations
 * never change, and a copy of up to 8 MiB for every receiver would.
 */
export async function withResults(
  ctx: Ctx,
  payloads: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> {
  const resultUid = ({ event, result_uid: uid }: Readonly<Record<string, unknown>>) =>
    typeof event === "string" && event.startsWith("result.") && typeof uid === "string" ? uid : null;
  const uids = payloads.map(resultUid).filter((uid) => uid !== null);
  if (uids.length === 0) return payloads.map((payload) => ({ ...payload }));
  const rows = await query(
    ctx,
    resultRow,
    Prisma.sql`select r.uid, r.item_id as dataset_item_uid, r.annotation_count, r.submitted_by, r.reason, r.decided_by,
        case when ${fits} then r.annotations end as annotations
      from results r where r.uid = any(${uids}) and ${visibleResults(ctx)}`,
  );
  const found = new Map(rows.map((row) => [row.uid, row]));
  return payloads.map((payload) => {
    const uid = resultUid(payload);
    if (uid === null) return { ...payload };
    const row = found.get(uid);
    return { ...payload, ...(row ? toEventData(row, payload.event !== "result.submitted") : gone) };
  });
}

const gone: ResultEventData = { result_data: null, result_metadata: {} };

/** A submitted result may be decided before its event is sent, which does not say so. */
const toEventData = (
  { uid: _, annotations, reason, decided_by, ...facts }: Native<typeof resultRow>,
  decided: boolean,
): ResultEventData => ({
  result_data: annotations,
  result_metadata: { ...facts, ...(decided && { reason, decided_by }) },
});
