import { z } from "zod";
import { evaluationStatuses } from "@/domain/rules/schema";
import type { RuleResult } from "@/engine/rules/evaluate";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { arrayOf, jsonb, notNull, text } from "@/server/platform/rows";
import { storedJson } from "@/server/platform/stored-text";

/*
 * The evaluations of rules that found nothing in a recording while it was processed: with SERIES=store they are one row a
 * recording in place of one each. An evaluation is in one of both; whoever writes holds the recording's row.
 */

/** One of them; what is left out is `evaluated`, "" and []. */
const QuietResult = z.object({
  version: z.int(),
  status: z.enum(evaluationStatuses).optional(),
  reason: z.string().optional(),
  notes: z.array(z.string()).optional(),
});
type QuietResult = z.output<typeof QuietResult>;

/** A rule with its result. */
interface Evaluated {
  rule: { uid: string; version: number };
  result: RuleResult;
  durationMs: number;
}

/** Whether an evaluation is kept in the recording's row: one of processing that only says that the rule ran. */
export const isQuiet = ({ result }: Evaluated, actions: number, runId: string | null): boolean =>
  env.SERIES === "store" &&
  runId === null &&
  actions === 0 &&
  result.hits.length === 0 &&
  result.suppressed === 0 &&
  !result.storm;

const toResult = ({ rule, result: { status, reason = "", notes } }: Evaluated): QuietResult => ({
  version: rule.version,
  ...(status !== "evaluated" && { status }),
  ...(reason !== "" && { reason }),
  ...(notes.length > 0 && { notes }),
});

const quietRow = { rule_ids: notNull(arrayOf(text)), results: jsonb(z.array(QuietResult)) };

/**
 * Takes the rules that were `evaluated` out of the recording's row, and puts `quiet` into it. Evaluations of other rules
 * that are older than those become rows of their own.
 */
export async function replaceQuiet(
  tx: Ctx,
  target: { recordingId: string; device: { uid: string } },
  evaluated: readonly string[],
  quiet: readonly Evaluated[],
): Promise<void> {
  const { recordingId, device } = target;
  const [row] = await query(
    tx,
    quietRow,
    Prisma.sql`select rule_ids, results from quiet_evaluations
      where recording_id = ${recordingId} and organization_id = ${tx.organizationId}`,
  );
  if (!row && quiet.length === 0) return;
  const gone = new Set(evaluated);
  const rest = (row?.rule_ids ?? []).flatMap((rule, at) => {
    const result = row?.results[at];
    return result === undefined || gone.has(rule) ? [] : [{ rule, result }];
  });
  if (quiet.length === 0) {
    if (rest.length === row?.rule_ids.length) return;
    await execute(
      tx,
      rest.length === 0
        ? Prisma.sql`delete from quiet_evaluations
            where recording_id = ${recordingId} and organization_id = ${tx.organizationId}`
        : Prisma.sql`update quiet_evaluations set rule_ids = ${rest.map(({ rule }) => rule)}::text[],
          results = ${storedJson(rest.map(({ result }) => result))}::jsonb
        where recording_id = ${recordingId} and organization_id = ${tx.organizationId}`,
    );
    return;
  }
  if (rest.length > 0) {
    const rows = rest.map(({ rule, result }) => ({ rule_id: rule, ...result }));
    await execute(
      tx,
      Prisma.sql`insert into rule_evaluations (rule_id, recording_id, organization_id, device_id, version, status, reason, notes,
          duration_ms, evaluated_at)
        select r.uid, q.recording_id, q.organization_id, q.device_id, e.version, coalesce(e.status, 'evaluated'),
          coalesce(e.reason, ''), coalesce(e.notes, '[]'), q.duration_ms, q.evaluated_at
        from quiet_evaluations q,
          jsonb_to_recordset(${storedJson(rows)}::jsonb) as e(rule_id text, version int, status text, reason text, notes jsonb)
          join rules r on r.uid = e.rule_id and r.organization_id = ${tx.organizationId}
        where q.recording_id = ${recordingId} and q.organization_id = ${tx.organizationId}
        on conflict do nothing`,
    );
  }
  await execute(
    tx,
    Prisma.sql`insert into quiet_evaluations (recording_id, organization_id, device_id, rule_ids, results, duration_ms, evaluated_at)
      values (${recordingId}, ${tx.organizationId}, ${device.uid}, ${quiet.map(({ rule }) => rule.uid)}::text[],
        ${storedJson(quiet.map(toResult))}::jsonb, ${Math.round(Math.max(...quiet.map(({ durationMs }) => durationMs)))}::int, now())
      on conflict (recording_id) do update set device_id = excluded.device_id, rule_ids = excluded.rule_ids,
        results = excluded.results, duration_ms = excluded.duration_ms, evaluated_at = excluded.evaluated_at`,
  );
}

/** The result of a rule in a row `q` of a recording's quiet evaluations, as jsonb; null for a rule that it lacks. */
export const quietResult = (rule: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`(q.results -> (array_position(q.rule_ids, ${rule}) - 1))`;
