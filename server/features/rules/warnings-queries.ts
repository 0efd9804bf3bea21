import { z } from "zod";
import { listLeaves, type Condition } from "@/domain/conditions/condition";
import { isGlob } from "@/domain/conditions/expressions";
import { heartbeatTopic } from "@/domain/conditions/heartbeat";
import { parsePath, plainPath } from "@/domain/conditions/path";
import { getKind } from "@/domain/conditions/registry";
import type { LeafCondition } from "@/domain/conditions/schema-registry";
import type { Scope } from "@/domain/rules/scope";
import { scopeFilter } from "@/server/features/rules/scope-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, jsonb, nullable, text, type Wire } from "@/server/platform/rows";

/** The maximum of devices that are checked, newest first. */
export const maxDevices = 1_000;

const seenTopicRow = {
  name: text,
  seen: int4,
  fields: nullable(jsonb(z.array(z.object({ path: z.string(), kind: z.string() })))),
};
type SeenTopic = Wire<typeof seenTopicRow>;

const plain = (path: string): string => {
  try {
    return plainPath(parsePath(path, ""));
  } catch {
    return path;
  }
};

function fieldWarning(leaf: LeafCondition, { name, fields }: SeenTopic): string[] {
  const read = getKind(leaf).reads(leaf);
  if (read === null || !fields || fields.length === 0) return [];
  const steps = parsePath(read.field, leaf.topic);
  const wanted = plainPath(steps);
  const matching = fields.filter((field) => plain(field.path) === wanted);
  if (matching.length === 0) {
    // Lists, maps and filtered elements are not in the catalog of scalar fields.
    const simple = steps.every((step) => step.kind === "key");
    const within = fields.some((field) => plain(field.path).startsWith(`${wanted}.`));
    return simple && within ? [`${read.field} of ${name} holds no single value; name one of its members.`] : [];
  }
  return getKind(leaf).warnings(leaf, { topic: name, kinds: new Set(matching.map(({ kind }) => kind)) });
}

/**
 * Warnings for the author of a rule, one line each: topics that no device in scope has recorded, and fields whose type
 * in the newest recording is not what the condition expects. Never an error, since schemas differ by device.
 */
export async function ruleWarnings(ctx: Ctx, condition: Condition, scope: Scope): Promise<string[]> {
  const leaves = listLeaves(condition).filter(({ topic }) => topic !== heartbeatTopic && !isGlob(topic));
  const names = [...new Set(leaves.map((leaf) => leaf.topic))];
  if (names.length === 0) return [];
  const devices = Prisma.sql`select d.uid from devices d where d.organization_id = ${ctx.organizationId}
    ${scopeFilter(ctx, scope, "d.uid")} order by d.uid desc limit ${maxDevices}`;
  const [[counted], seen] = await Promise.all([
    sql({ count: int4 }, Prisma.sql`select count(*)::int as count from (${devices}) d`),
    sql(
      seenTopicRow,
      Prisma.sql`
      select name, (select count(*)::int from (${devices}) d
          where exists (select 1 from topics t where t.device_id = d.uid and t.name = wanted.name)) as seen,
        (select t.fields from topics t where t.organization_id = ${ctx.organizationId} and t.name = wanted.name
          order by t.recording_id desc limit 1) as fields
      from unnest(${names}::text[]) as wanted(name)`,
    ),
  ]);
  const total = counted?.count ?? 0;
  const byName = new Map(seen.map((topic) => [topic.name, topic]));
  const lines = leaves.flatMap((leaf) => {
    const topic = byName.get(leaf.topic);
    if (!topic) return [];
    const unseen =
      topic.seen === 0
        ? [`${leaf.topic} was seen on 0 of ${total} ${total === 1 ? "device" : "devices"} in scope.`]
        : [];
    return [...unseen, ...fieldWarning(leaf, topic)];
  });
  return [...new Set(lines)];
}
