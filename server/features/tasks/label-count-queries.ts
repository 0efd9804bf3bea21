import { Prisma } from "@/server/platform/database/generated/client";

const isCounted = Prisma.sql`coalesce(cardinality(r.label_counts) = cardinality(r.labels), false)`;

/** SQL for the `name` and `count` of each label of `results r`; annotations are read only of results from before they were counted. */
export const labelCounts = Prisma.sql`
  select k.name, k.count from unnest(r.labels, r.label_counts) k(name, count) where ${isCounted}
  union all
  select a.shape ->> 'label', count(*) from jsonb_array_elements(case when ${isCounted} then '[]' else r.annotations end) a(shape)
  group by 1`;
