import { dataTypes } from "@/domain/datasets/schema";
import type { ProjectSources } from "@/domain/projects/screen-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { int4, oneOf, text, type Native } from "@/server/platform/rows";

/** The maximum of datasets that are offered; a search finds the others. */
const maxOffered = 50;
/** Items that are still to be read are counted up to here. */
const maxPending = 1_000;

const sourceRow = { uid: text, name: text, data_type: oneOf(dataTypes), item_count: int4, pending_count: int4 };
/** A dataset whose items a project would make tasks of. */
export type ProjectSource = Native<typeof sourceRow>;

/** The chosen datasets and those that a search finds, by name; those that the caller does not see are left out. */
export const listProjectSources = (ctx: Ctx, { search, chosen }: ProjectSources): Promise<ProjectSource[]> =>
  query(
    ctx,
    sourceRow,
    Prisma.sql`select d.uid, d.name, d.data_type, d.item_count,
        (select count(*)::int from (select 1 from items i
          where i.dataset_id = d.uid and i.status = 'pending' limit ${maxPending}) waiting) as pending_count
      from datasets d where d.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
        and (d.uid = any(${chosen}) or ${search ? Prisma.sql`d.name ilike ${`%${likeText(search)}%`}` : Prisma.sql`true`})
      order by d.uid = any(${chosen}) desc, d.name, d.uid limit ${maxOffered + chosen.length}`,
  );
