import { readAlert } from "@/server/features/alerts/alert-queries";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { labelCounts } from "@/server/features/tasks/label-count-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { int4, notNull, nullable, text } from "@/server/platform/rows";

/** The items of an alert that are looked at, of all datasets together, and the labels that are named. */
const maxItems = 10_000;
const maxLabels = 200;

const labelRow = {
  uid: text,
  name: text,
  slug: text,
  owner_name: text,
  items: notNull(int4),
  labelled: notNull(int4),
  label: nullable(text),
  color: nullable(text),
  count: nullable(int4),
};

/** What people labelled of an alert in a dataset. */
interface AlertLabels {
  uid: string;
  name: string;
  slug: string;
  owner_name: string;
  /** Its items of the alert, and those of them that have a result. */
  items: number;
  labelled: number;
  /** With the number of shapes, most first, in the colour that a project gives it. */
  labels: { name: string; color: string | null; count: number }[];
}

/**
 * What people labelled of an alert, in each dataset that has items of it: of an item, its latest accepted result, else its
 * latest one that was not rejected. The ranges that were added lead to the items. Throws `not_found`.
 */
export async function readAlertLabels(ctx: Ctx, uid: string): Promise<AlertLabels[]> {
  await readAlert(ctx, uid);
  const rows = await sql(
    labelRow,
    Prisma.sql`with spans as (
        select distinct s.recording_id, s.from_ns, s.to_ns from moment_spans s
        where s.alert_id = ${uid} and s.organization_id = ${ctx.organizationId}),
      found as (
        select distinct i.uid, i.dataset_id from spans s
          join items i on i.recording_id = s.recording_id and (i.t_ns between s.from_ns and s.to_ns or i.t_ns is null)
        where i.organization_id = ${ctx.organizationId} and i.metadata #>> '{source,alert_id}' = ${uid}
          and ${isVisible(ctx, "dataset", Prisma.sql`i.dataset_id`)} limit ${maxItems}),
      chosen as (
        select distinct on (r.item_id) r.item_id, r.uid from found f join results r on r.item_id = f.uid
        where r.organization_id = ${ctx.organizationId} and r.status <> 'rejected'
          and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}
        order by r.item_id, r.status = 'accepted' desc, r.uid desc),
      totals as (
        select f.dataset_id, count(*)::int as items, count(c.uid)::int as labelled
        from found f left join chosen c on c.item_id = f.uid group by 1),
      labels as (
        select r.dataset_id, l.name, sum(l.count)::int as count, min(k.color) as color
        from chosen c join results r on r.uid = c.uid join projects p on p.uid = r.project_id
          cross join lateral (${labelCounts}) l
          left join lateral (select e.label ->> 'color' as color from jsonb_array_elements(p.labels) e(label)
            where e.label ->> 'name' = l.name limit 1) k on true
        where l.name is not null group by 1, 2)
      select d.uid, d.name, d.slug, o.slug as owner_name, t.items, t.labelled, l.name as label, l.color, l.count
      from totals t join datasets d on d.uid = t.dataset_id join organizations o on o.uid = d.organization_id
        left join labels l on l.dataset_id = t.dataset_id
      order by t.labelled desc, d.name, d.uid, l.count desc, l.name limit ${maxLabels}`,
  );
  const datasets = new Map<string, AlertLabels>();
  for (const { label, color, count, ...of } of rows) {
    const dataset = datasets.get(of.uid) ?? { ...of, labels: [] };
    datasets.set(of.uid, dataset);
    if (label !== null && count !== null) dataset.labels.push({ name: label, color, count });
  }
  return [...datasets.values()];
}
