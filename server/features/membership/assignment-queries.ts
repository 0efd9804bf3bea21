import { hasRole } from "@/domain/permissions";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";

/** What members are assigned to: its table, the table of its members, and the column that names it there. */
export const assignables = {
  dataset: {
    table: Prisma.sql`datasets`,
    members: Prisma.sql`dataset_members`,
    column: Prisma.sql`dataset_id`,
  },
  project: {
    table: Prisma.sql`projects`,
    members: Prisma.sql`project_members`,
    column: Prisma.sql`project_id`,
  },
} as const;
export type Assignable = keyof typeof assignables;

/** The uids that the caller does not see, as an array that is computed once per statement; null for admins. */
function hidden(ctx: Ctx, kind: Assignable): Prisma.Sql | null {
  if (hasRole(ctx.permissions, "admin")) return null;
  const { table, members, column } = assignables[kind];
  return Prisma.sql`array(select h.uid from ${table} h
    where h.organization_id = ${ctx.organizationId} and h.access = 'assigned' and not exists (
      select 1 from ${members} a where a.${column} = h.uid and a.user_id = ${ctx.actor.userId ?? ""}))`;
}

const everything = Prisma.sql`true`;

/**
 * SQL: the caller sees the dataset or project that the column names. Everything that hangs on one is read with this
 * condition.
 */
export function isVisible(ctx: Ctx, kind: Assignable, column: Prisma.Sql): Prisma.Sql {
  const uids = hidden(ctx, kind);
  return uids === null ? everything : Prisma.sql`${column} <> all(${uids})`;
}

/**
 * SQL: the caller sees the dataset of the item that the column names. `one by one`, where rows are read in an order until
 * one is found: the planner then does not take it for a condition that holds for nearly none, for which it would sort all.
 */
export function isItemVisible(ctx: Ctx, column: Prisma.Sql, read: "many" | "one by one" = "many"): Prisma.Sql {
  const uids = hidden(ctx, "dataset");
  if (uids === null) return everything;
  if (read === "one by one")
    return Prisma.sql`(select v.dataset_id from items v where v.uid = ${column}) <> all(${uids})`;
  return Prisma.sql`not exists (select 1 from items v where v.uid = ${column} and v.dataset_id = any(${uids}))`;
}

/**
 * SQL: the caller sees everything that the export `e` holds: datasets, slices, projects and what these annotate. Only admins do
 * once some of it was deleted that only assigned members saw.
 */
export function isExportVisible(ctx: Ctx, e: Prisma.Sql = Prisma.sql`e`): Prisma.Sql {
  const [datasets, projects] = [hidden(ctx, "dataset"), hidden(ctx, "project")];
  if (datasets === null || projects === null) return everything;
  return Prisma.sql`not ${e}.admins_only and not ${e}.datasets && ${datasets} and not ${e}.projects && ${projects}
    and not exists (select 1 from slices v where v.uid = any(${e}.slices) and v.dataset_id = any(${datasets}))
    and not exists (select 1 from annotated_datasets v where v.project_id = any(${e}.projects) and v.dataset_id = any(${datasets}))`;
}

/** SQL: the caller sees the dataset of the model run `r`; only admins do once it was deleted and only assigned members saw it. */
export function isRunVisible(ctx: Ctx, r: Prisma.Sql = Prisma.sql`r`): Prisma.Sql {
  const uids = hidden(ctx, "dataset");
  return uids === null ? everything : Prisma.sql`not ${r}.admins_only and ${r}.dataset_id <> all(${uids})`;
}
