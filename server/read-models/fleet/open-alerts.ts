import { readEvidence } from "@/domain/alerts/evidence";
import { summarizeEvidence } from "@/domain/alerts/evidence-summary";
import { deviceStatuses } from "@/domain/devices/connectivity";
import type { OpenAlertFilters } from "@/domain/overview/summaries";
import { severities } from "@/domain/severity";
import { alertTables } from "@/server/features/alerts/alert-queries";
import { narrow } from "@/server/features/alerts/service";
import { readConditionTexts } from "@/server/features/rules/condition-texts";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int2, int4, jsonbObject, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import type { OpenAlert } from "@/server/read-models/fleet/resource";
import { tabPredicate } from "@/server/read-models/inbox/inbox";

const openAlertRow = {
  uid: text,
  severity: oneOf(severities),
  severity_rank: int2,
  message: text,
  evidence: jsonbObject,
  rule_id: text,
  rule_name: text,
  condition: nullable(jsonbObject),
  device_id: text,
  device_name: text,
  device_status: nullable(oneOf(deviceStatuses)),
  recording_id: nullable(text),
  recording_name: nullable(text),
  triggered_at: timestamptz,
  occurrence_count: int4,
  assignee: nullable(text),
};

/** Open alerts neither silenced nor snoozed, the worst first, each with its evidence in words, rule, device and recording. */
export async function listOpenAlerts(ctx: Ctx, request: OpenAlertFilters): Promise<Page<OpenAlert>> {
  const { limit, cursor, ...filters } = request;
  const silences = await activeSilences(ctx);
  const page = await keysetPage(ctx, {
    name: "open alerts",
    filters,
    page: { limit, cursor },
    order: { columns: ["a.severity_rank", "a.uid"], direction: "desc" },
    key: (alert: Wire<typeof openAlertRow>) => [alert.severity_rank, alert.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        openAlertRow,
        Prisma.sql`
        select a.uid, a.severity, a.severity_rank, a.message, a.evidence, a.rule_id, coalesce(r.name, a.rule_name) as rule_name,
          v.condition, a.device_id, coalesce(d.name, a.device_name) as device_name, d.status as device_status, a.recording_id,
          c.name as recording_name, a.triggered_at, a.occurrence_count, u.username as assignee
        from ${alertTables}
        left join rule_versions v on v.rule_id = r.uid and v.version = a.rule_version
        left join recordings c on c.uid = a.recording_id and c.organization_id = a.organization_id
        where a.organization_id = ${ctx.organizationId} and a.status = 'open' and ${where}
          ${narrow(ctx, filters)} ${tabPredicate("open", silences)}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  const describe = await readConditionTexts(
    ctx,
    page.results.map(({ condition }) => condition),
  );
  return {
    ...page,
    results: page.results.map(({ severity_rank: _, evidence, condition, ...row }) => ({
      ...row,
      why: summarizeEvidence(readEvidence(evidence)),
      condition_text: condition === null ? null : describe(condition),
    })),
  };
}
