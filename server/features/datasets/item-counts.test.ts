import { expect, test } from "vitest";
import { foldItemCounts } from "@/server/features/datasets/item-counts-service";
import { deleteDataset } from "@/server/features/datasets/service";
import { pool, prisma } from "@/server/platform/db";
import { int8, notNull, queryRows, text } from "@/server/platform/rows";
import { makeDataset, picture, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import { makeOrganization, unique } from "@/server/testing/factories";

const state = { key: notNull(text), count: notNull(int8) };

const keptCounts = (dataset: string) =>
  queryRows(
    pool,
    state,
    `select status || ' ' || labelled as key, sum(count)::bigint as count from item_counts where dataset_id = $1
     group by 1 having sum(count) <> 0 order by 1`,
    [dataset],
  );
const realCounts = (dataset: string) =>
  queryRows(
    pool,
    state,
    `select status || ' ' || (annotation_count > 0) as key, count(*) as count from items where dataset_id = $1 group by 1 order by 1`,
    [dataset],
  );

test("kept counts equal a count after changes that overlap, fail and are folded meanwhile", async () => {
  const org = await makeOrganization();
  const first = await pictures(org, 3);
  const { uid: dataset, slug } = first;
  const { uid: other } = await makeDataset(org);
  expect(await keptCounts(dataset)).toEqual(await realCounts(dataset));
  const insert = (into: string, count: number) =>
    pool.query(
      `insert into items (uid, organization_id, dataset_id, key, status, storage_key, annotation_count, updated_at)
       select gen_random_uuid(), $1, $2, $3 || n, 'pending', $3 || n, n % 2, now() from generate_series(1, $4::int) n`,
      [org.uid, into, unique(), count],
    );
  await insert(dataset, 200);
  await insert(other, 50);

  const change = async (seed: number) => {
    const client = await pool.connect();
    try {
      for (let n = 0; n < 8; n++) {
        await client.query("begin");
        const some = `select uid from items where dataset_id = '${n % 3 === 0 ? other : dataset}'
          order by md5(uid || ${seed} || ${n}) limit 20 for update skip locked`;
        await client.query(
          `update items set annotation_count = (annotation_count + 1) % 3, updated_at = now() where uid in (${some})`,
        );
        await client.query(
          `update items set status = case status when 'pending' then 'completed' else 'pending' end where uid in (${some})`,
        );
        await client.query(`update items set metadata = '{"a": 1}' where uid in (${some})`);
        if (n % 2 === 0) await client.query(`delete from items where uid in (select uid from (${some}) s limit 3)`);
        if (n % 4 === 1) await client.query(`update items set dataset_id = $1 where uid in (${some})`, [other]);
        await client.query(n % 3 === 2 ? "rollback" : "commit");
      }
    } finally {
      client.release();
    }
  };
  const fold = async () => {
    for (let n = 0; n < 10; n++) await foldItemCounts();
  };
  await Promise.all([change(1), change(2), change(3), fold(), insert(dataset, 30)]);
  for (const each of [dataset, other]) expect(await keptCounts(each)).toEqual(await realCounts(each));
  await foldItemCounts();
  for (const each of [dataset, other]) {
    expect(await keptCounts(each)).toEqual(await realCounts(each));
    const kept = await prisma.itemCount.findMany({ where: { datasetId: each } });
    expect(kept.every(({ folded }) => folded)).toBe(true);
  }

  // By the services: another upload, and the deletion of the dataset.
  await uploadTo(org, first, { "later.png": await picture() });
  await readItems();
  expect(await keptCounts(dataset)).toEqual(await realCounts(dataset));
  await deleteDataset(org.ctx, { owner: org.slug, slug });
  expect(await prisma.itemCount.count({ where: { datasetId: dataset } })).toBe(0);
});
