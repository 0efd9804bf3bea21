import { dataTypes } from "@/domain/datasets/schema";
import type { LabelTargetFilters } from "@/domain/projects/screen-schema";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { mayLabel } from "@/server/features/projects/people-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { likeText } from "@/server/platform/like-text";
import { bool, int4, oneOf, text, type Wire } from "@/server/platform/rows";

const targetRow = {
  project: text,
  project_name: text,
  /** The dataset of it that new pictures go to, the first one that holds pictures. */
  uid: text,
  name: text,
  slug: text,
  owner_name: text,
  data_type: oneOf(dataTypes),
  item_count: int4,
  /** Whether the caller added moments to it. */
  used: bool,
};
/** A project in which pictures that are added become tasks of the caller. */
type LabelTarget = Wire<typeof targetRow>;

const maxTargets = 20;

/** The active projects over pictures in which the caller may label, those first to which they added last. */
export const listLabelTargets = (ctx: Ctx, { search }: LabelTargetFilters): Promise<LabelTarget[]> =>
  sql(
    targetRow,
    Prisma.sql`select p.uid as project, p.name as project_name, d.uid, d.name, d.slug, o.slug as owner_name, d.data_type, d.item_count,
        used.uid is not null as used
      from projects p join organizations o on o.uid = p.organization_id
      cross join lateral (select d.uid, d.name, d.slug, d.data_type, d.item_count from project_datasets pd
        join datasets d on d.uid = pd.dataset_id where pd.project_id = p.uid and d.data_type = 'image' and not d.is_sequence
          and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)} order by pd.position limit 1) d
      left join lateral (select max(m.uid) as uid from moments m where m.dataset_id = d.uid and m.created_by_id = ${ctx.actor.userId ?? ""}) used
        on true
      where p.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)} and p.status = 'active'
        and p.task_type = 'image-annotation' and ${mayLabel(ctx)}
        ${search.trim() === "" ? Prisma.empty : Prisma.sql`and p.name ilike ${`%${likeText(search.trim())}%`}`}
      order by used.uid desc nulls last, p.uid desc limit ${maxTargets}`,
  );
