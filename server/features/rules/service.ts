import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { toSaved, type Condition } from "@/domain/conditions/condition";
import { readsHeartbeats } from "@/domain/conditions/heartbeat";
import { type CreateRule, type RuleFilters, type UpdateRule, conditionTypes } from "@/domain/rules/schema";
import type { Scope } from "@/domain/rules/scope";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { isoTime } from "@/domain/wire-values";
import { audit, difference } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { findMember } from "@/server/features/membership/find-member-queries";
import { readConditionTexts } from "@/server/features/rules/condition-texts";
import { checkActions, checkReferences } from "@/server/features/rules/references-queries";
import type { RuleDetail, RuleResource } from "@/server/features/rules/resource";
import { ruleWarnings } from "@/server/features/rules/warnings-queries";
import { databaseNow } from "@/server/platform/clock";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import {
  bool,
  int4,
  int8,
  jsonb,
  jsonbObject,
  type Native,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";
import { newUid } from "@/server/platform/uid";

const columns = Prisma.sql`r.uid, r.name, r.description, coalesce(r.runbook, '') as runbook, owner.username as owner,
  r.enabled, r.condition, r.actions, r.scope, r.hit_count, r.last_hit_ns,
  r.version, r.builtin, r.condition_type, r.created_by_id as created_by_uid, r.updated_by_name as updated_by, r.demo, r.created_at, r.updated_at`;
/** Whoever left the organization answers for none of its rules. */
const tables = Prisma.sql`rules r
  left join memberships answering on answering.organization_id = r.organization_id and answering.user_id = r.owner_id
  left join users owner on owner.uid = answering.user_id`;
const ruleRow = {
  uid: text,
  name: text,
  description: text,
  runbook: text,
  owner: nullable(text),
  enabled: bool,
  condition: jsonbObject,
  actions: jsonb(z.array(z.record(z.string(), z.unknown()))),
  scope: nullable(jsonbObject),
  hit_count: int8,
  last_hit_ns: nullable(int8),
  version: int4,
  builtin: bool,
  condition_type: oneOf(conditionTypes),
  created_by_uid: nullable(text),
  updated_by: text,
  demo: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};

type Row = Wire<typeof ruleRow> | Native<typeof ruleRow>;

async function serializeRows(ctx: Ctx, rows: readonly Row[]): Promise<RuleResource[]> {
  const describe = await readConditionTexts(
    ctx,
    rows.map(({ condition }) => condition),
  );
  return rows.map(({ hit_count, last_hit_ns, created_at, updated_at, ...row }) => ({
    ...row,
    hit_count: Number(hit_count),
    last_hit_at: last_hit_ns === null ? null : isoFromNs(BigInt(last_hit_ns)),
    condition_text: describe(row.condition),
    created_at: isoTime(created_at),
    updated_at: isoTime(updated_at),
  }));
}

/** Rules, newest first. `conditionType`: any of the list. */
export async function listRules(ctx: Ctx, { limit, cursor, ...filters }: RuleFilters): Promise<Page<RuleResource>> {
  const search = filters.search && likeText(filters.search.trim());
  const page = await keysetPage<Wire<typeof ruleRow>>(ctx, {
    name: "rules",
    filters,
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: (rule) => [rule.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        ruleRow,
        Prisma.sql`
        select ${columns} from ${tables} where r.organization_id = ${ctx.organizationId} and ${where}
        ${filters.enabled === undefined ? Prisma.empty : Prisma.sql`and r.enabled = ${filters.enabled}`}
        ${filters.condition_type ? Prisma.sql`and r.condition_type = any(${filters.condition_type})` : Prisma.empty}
        ${search ? Prisma.sql`and r.name ilike ${`%${search}%`}` : Prisma.empty}
        ${demoFilter("r", filters.demo)}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await serializeRows(ctx, page.results) };
}

/** A rule without the warnings of `getRule`. Throws `not_found`. */
export async function readRule(ctx: Ctx, uid: string): Promise<RuleResource> {
  const [row] = await query(
    ctx,
    ruleRow,
    Prisma.sql`select ${columns} from ${tables} where r.uid = ${uid} and r.organization_id = ${ctx.organizationId}`,
  );
  if (!row) throw notFound();
  const [rule] = await serializeRows(ctx, [row]);
  return rule!;
}

async function withWarnings(ctx: Ctx, rule: RuleResource): Promise<RuleDetail> {
  // A built-in rule evaluates heartbeats, which are in no recording.
  if (rule.builtin) return { ...rule, warnings: [] };
  return { ...rule, warnings: await ruleWarnings(ctx, toSaved(rule.condition), rule.scope as Scope) };
}

/** One rule, with warnings about its topics and fields. Throws `not_found`. */
export const getRule = async (ctx: Ctx, uid: string): Promise<RuleDetail> =>
  withWarnings(ctx, await readRule(ctx, uid));

/** Throws `not_found`, and `forbidden` for a member who did not make the rule. */
export async function requireRuleAuthor(ctx: Ctx, uid: string): Promise<RuleResource> {
  const rule = await readRule(ctx, uid);
  requireAuthor(ctx, rule.created_by_uid);
  return rule;
}

/** Locks and reads a rule that the caller changes. Throws `not_found`, `forbidden`. */
async function lockRule(tx: Ctx, uid: string): Promise<RuleResource> {
  await execute(
    tx,
    Prisma.sql`select 1 from rules where uid = ${uid} and organization_id = ${tx.organizationId} for no key update`,
  );
  return requireRuleAuthor(tx, uid);
}

const stored = (value: unknown) => value as Prisma.InputJsonValue;
const storedScope = (scope: unknown) => (scope === null || scope === undefined ? Prisma.DbNull : stored(scope));

/** The uid of a rule's new owner: null for nobody, undefined where it stays. Throws `invalid("owner")`. */
const findOwner = async (tx: Ctx, name: string | null | undefined): Promise<string | null | undefined> =>
  typeof name === "string" ? (await findMember(tx, name, "owner")).uid : name;

interface Version {
  condition: unknown;
  actions: unknown;
  scope: unknown;
}

async function writeVersion(tx: Ctx, uid: string, version: number, content: Version, note: string): Promise<void> {
  await tx.db.ruleVersion.create({
    data: {
      ruleId: uid,
      version,
      condition: stored(content.condition),
      actions: stored(content.actions),
      scope: storedScope(content.scope),
      note,
      createdById: tx.actor.userId,
      createdByName: tx.actor.name,
    },
  });
}

/**
 * Creates a rule with version 1; it is evaluated on recordings processed from now on. Throws `invalid` at `actions` or
 * `scope` for objects that are not the organization's, at `owner` for who is no member.
 */
export async function createRule(ctx: Ctx, input: CreateRule): Promise<RuleDetail> {
  const uid = newUid("rule");
  const scope = input.scope ?? null;
  const rule = await transaction(ctx, async (tx) => {
    checkActions(input.condition, input.actions);
    await checkReferences(tx, input.actions, scope);
    const owner = await findOwner(tx, input.owner);
    await tx.db.rule.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        name: input.name,
        description: input.description ?? "",
        runbook: input.runbook || null,
        ownerId: owner ?? null,
        enabled: input.enabled ?? true,
        conditionType: input.condition.type,
        live: readsHeartbeats(input.condition),
        // By the clock that gives heartbeats their time.
        liveSince: databaseNow(),
        condition: stored(input.condition),
        actions: stored(input.actions),
        scope: storedScope(scope),
        demo: input.demo ?? false,
        createdById: tx.actor.userId,
        updatedById: tx.actor.userId,
        updatedByName: tx.actor.name,
      },
    });
    await writeVersion(tx, uid, 1, { condition: input.condition, actions: input.actions, scope }, input.note ?? "");
    await audit(tx, { action: "rule.created", targetType: "rule", targetId: uid, targetName: input.name });
    await announce(tx, "rule", uid, "created");
    return readRule(tx, uid);
  });
  return withWarnings(ctx, rule);
}

/**
 * Changes the given fields. Another condition, other actions or another scope make a new version. Throws `not_found`,
 * `forbidden` for another member's rule, `invalid`.
 */
export async function updateRule(ctx: Ctx, uid: string, input: UpdateRule): Promise<RuleDetail> {
  const rule = await transaction(ctx, (tx) => changeRule(tx, uid, input));
  return withWarnings(ctx, rule);
}

async function changeRule(tx: Ctx, uid: string, input: UpdateRule): Promise<RuleResource> {
  const before = await lockRule(tx, uid);
  const next: Version = {
    condition: input.condition ?? before.condition,
    actions: input.actions ?? before.actions,
    scope: input.scope === undefined ? before.scope : input.scope,
  };
  if (before.builtin && !isDeepStrictEqual(next.condition, before.condition)) {
    throw invalid("condition", "The condition of a built-in rule cannot be changed.");
  }
  if (Object.keys(input).length === 0) return before;
  const changed = (["condition", "actions", "scope"] as const).some(
    (part) => !isDeepStrictEqual(next[part], before[part]),
  );
  if (changed) checkActions(toSaved(next.condition), input.actions ?? before.actions);
  // Only new references are checked: a deleted object must not block unrelated changes.
  await checkReferences(tx, input.actions ?? [], input.scope ?? null);
  const owner = await findOwner(tx, input.owner);
  const version = changed ? before.version + 1 : before.version;
  const begins = changed || (input.enabled === true && !before.enabled);
  await tx.db.rule.update({
    where: { uid },
    data: {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.description !== undefined && { description: input.description }),
      ...(input.runbook !== undefined && { runbook: input.runbook || null }),
      ...(owner !== undefined && { ownerId: owner }),
      ...(input.enabled !== undefined && { enabled: input.enabled }),
      ...(changed && {
        version,
        conditionType: (next.condition as Condition).type,
        live: readsHeartbeats(next.condition as Condition),
        condition: stored(next.condition),
        actions: stored(next.actions),
        scope: storedScope(next.scope),
      }),
      ...(begins && { liveSince: databaseNow() }),
      updatedById: tx.actor.userId,
      updatedByName: tx.actor.name,
    },
  });
  if (changed) await writeVersion(tx, uid, version, next, input.note ?? "");
  const after = await readRule(tx, uid);
  const bare = (rule: RuleResource) => ({
    ...rule,
    updated_at: "",
    updated_by: "",
    condition_text: "",
    condition_type: "",
  });
  await audit(tx, {
    action: "rule.updated",
    targetType: "rule",
    targetId: uid,
    targetName: after.name,
    ...difference(bare(before), bare(after)),
  });
  await announce(tx, "rule", uid, "updated");
  return after;
}

/**
 * Deletes a rule with its versions and evaluations. Its alerts and events keep its id and name. Throws as
 * `updateRule`.
 */
export async function deleteRule(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const rule = await lockRule(tx, uid);
    if (rule.builtin) {
      throw invalid([], "A built-in rule cannot be deleted; disable it instead with enabled: false.");
    }
    await tx.db.rule.delete({ where: { uid } });
    await audit(tx, { action: "rule.deleted", targetType: "rule", targetId: uid, targetName: rule.name });
    await announce(tx, "rule", uid, "deleted");
  });
}
