import type { ChangeKind } from "@/domain/changes";
import { hasRole } from "@/domain/permissions";
import { eventAreas, type EventObjectKind } from "@/domain/platform-events/event-object";
import {
  isExportVisible,
  isItemVisible,
  isRunVisible,
  isVisible,
} from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

const ofDataset = (ctx: Ctx): Prisma.Sql => isVisible(ctx, "dataset", Prisma.sql`o.dataset_id`);
const ofProject = (ctx: Ctx): Prisma.Sql => isVisible(ctx, "project", Prisma.sql`o.project_id`);

/** The kinds of objects that hang on datasets and projects: the table, and when the caller sees a row `o` of it. */
const objects = {
  dataset: { table: "datasets", seen: (ctx) => isVisible(ctx, "dataset", Prisma.sql`o.uid`) },
  project: { table: "projects", seen: (ctx) => isVisible(ctx, "project", Prisma.sql`o.uid`) },
  slice: { table: "slices", seen: ofDataset },
  bulk_edit: { table: "bulk_edits", seen: ofDataset },
  run: { table: "model_runs", seen: (ctx) => isRunVisible(ctx, Prisma.sql`o`) },
  export: { table: "exports", seen: (ctx) => isExportVisible(ctx, Prisma.sql`o`) },
  task: {
    table: "tasks",
    seen: (ctx) => Prisma.sql`${ofProject(ctx)} and ${isItemVisible(ctx, Prisma.sql`o.item_id`)}`,
  },
  result: { table: "results", seen: (ctx) => Prisma.sql`${ofProject(ctx)} and ${ofDataset(ctx)}` },
} as const satisfies Record<
  EventObjectKind | Extract<ChangeKind, "dataset" | "slice" | "project" | "bulk_edit" | "export">,
  { table: string; seen: (ctx: Ctx) => Prisma.Sql }
>;
export type ObjectKind = keyof typeof objects;

export const isObjectKind = (kind: string): kind is ObjectKind => Object.hasOwn(objects, kind);

const visible = (ctx: Ctx, kind: ObjectKind): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(objects[kind].table)} o where o.organization_id = ${ctx.organizationId} and ${objects[kind].seen(ctx)}`;

/** Those of the objects that exist and that the caller sees. */
export async function findVisible(ctx: Ctx, kind: ObjectKind, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query(
    ctx,
    { uid: text },
    Prisma.sql`select o.uid from ${visible(ctx, kind)} and o.uid = any(${uids}::text[])`,
  );
  return new Set(rows.map(({ uid }) => uid));
}

/**
 * SQL: the caller sees the object that an event is about. Admins alone see events of objects that were deleted; everybody
 * sees tests. `findUid` is the uid of the object, by the member of the payload that names it.
 */
export function isEventVisible(
  ctx: Ctx,
  eventType: Prisma.Sql,
  findUid: (kind: EventObjectKind, member: string) => Prisma.Sql,
): Prisma.Sql {
  if (hasRole(ctx.permissions, "admin")) return Prisma.sql`true`;
  // Scalar, so that each is one search by key: an `exists` may be answered by a hash of the whole table.
  const cases = Object.entries(eventAreas).map(
    ([area, [kind, member]]) =>
      Prisma.sql`when ${area} then (select true from ${visible(ctx, kind)} and o.uid = ${findUid(kind, member)})`,
  );
  return Prisma.sql`coalesce(case split_part(${eventType}, '.', 1) when 'test' then true ${Prisma.join(cases, " ")} end, false)`;
}
