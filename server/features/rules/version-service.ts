import { z } from "zod";
import { UpdateRule, type PageOnly } from "@/domain/rules/schema";
import { readConditionTexts } from "@/server/features/rules/condition-texts";
import type { RuleDetail, RuleVersionResource } from "@/server/features/rules/resource";
import { readRule, requireRuleAuthor, updateRule } from "@/server/features/rules/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, jsonb, jsonbObject, nullable, text, timestamptz } from "@/server/platform/rows";

const versionRow = {
  version: int4,
  condition: jsonbObject,
  actions: jsonb(z.array(z.record(z.string(), z.unknown()))),
  scope: nullable(jsonbObject),
  note: text,
  created_by: text,
  created_at: timestamptz,
};

/** Every version of a rule, newest first. Throws `not_found`. */
export async function listVersions(
  ctx: Ctx,
  uid: string,
  { limit, cursor }: PageOnly,
): Promise<Page<RuleVersionResource>> {
  await readRule(ctx, uid);
  const page = await keysetPage<Omit<RuleVersionResource, "condition_text">>(ctx, {
    name: "rule versions",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["v.version"], direction: "desc" },
    key: (version) => [version.version],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        versionRow,
        Prisma.sql`select v.version, v.condition, v.actions, v.scope, v.note, v.created_by_name as created_by, v.created_at
        from rule_versions v where v.rule_id = ${uid} and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
  const describe = await readConditionTexts(
    ctx,
    page.results.map(({ condition }) => condition),
  );
  return {
    ...page,
    results: page.results.map((version) => ({ ...version, condition_text: describe(version.condition) })),
  };
}

/**
 * Makes an old version the newest one again. Throws `not_found` for an unknown version, `forbidden` for another member's rule, `invalid` when an object that
 * it names was deleted.
 */
export async function restoreVersion(ctx: Ctx, uid: string, version: number): Promise<RuleDetail> {
  await requireRuleAuthor(ctx, uid);
  const old = await ctx.db.ruleVersion.findUnique({ where: { ruleId_version: { ruleId: uid, version } } });
  if (!old) throw notFound();
  const { condition, actions, scope } = old;
  return updateRule(ctx, uid, UpdateRule.parse({ condition, actions, scope, note: `Restored version ${version}.` }));
}
