import type { PreviewExport } from "@/domain/exports/schema";
import { namedDatasets } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { text } from "@/server/platform/rows";

/**
 * Throws `invalid(field)` naming the first uid that is not of the organization, or whose data the caller does not see.
 */
async function requireAll(tx: Ctx, field: "slices" | "projects", uids: readonly string[]): Promise<void> {
  const condition =
    field === "slices"
      ? Prisma.sql`from slices s where ${isVisible(tx, "dataset", Prisma.sql`s.dataset_id`)}`
      : Prisma.sql`from projects s where ${isVisible(tx, "project", Prisma.sql`s.uid`)} and not exists (
          select 1 from annotated_datasets pd
          where pd.project_id = s.uid and not ${isVisible(tx, "dataset", Prisma.sql`pd.dataset_id`)})`;
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select s.uid ${condition} and s.organization_id = ${tx.organizationId} and s.uid = any(${[...uids]})`,
  );
  const found = new Set(rows.map(({ uid }) => uid));
  const missing = uids.find((uid) => !found.has(uid));
  if (missing !== undefined) throw invalid(field, `Invalid pk "${missing}" - object does not exist.`);
}

/** Throws `invalid` when nothing is selected, or something that does not exist or the caller does not see. */
export async function requireSources(
  tx: Ctx,
  { datasets, projects, slices }: Pick<PreviewExport, "datasets" | "projects" | "slices">,
): Promise<void> {
  if (datasets.length + projects.length + slices.length === 0)
    throw invalid([], "Name at least one dataset, slice or project.");
  await namedDatasets(tx, "datasets", datasets);
  await requireAll(tx, "projects", projects);
  await requireAll(tx, "slices", slices);
}
