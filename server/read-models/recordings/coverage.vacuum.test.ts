import { expect, test } from "vitest";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, pool, prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";
import { readTableStatistics } from "@/server/testing/table-statistics";

const rows = 20_000;
const dayMs = 86_400_000;

test("four weeks of a device read its recordings of these weeks, not those of the years before", async () => {
  const org = await makeOrganization();
  const { uid: device } = await makeDevice(org);
  // One each hour, in no order of time.
  await execute(
    { db: prisma },
    Prisma.sql`insert into recordings (uid, organization_id, device_id, device_name, status, started_at, ended_at, updated_at)
      select 'rec_' || ${org.uid} || n, ${org.uid}, ${device}, 'robot', 'ready', at, at + interval '10 min', now()
      from (select n, to_timestamp(1764000000 - hashint8(n)::int8 % 40000 * 3600) as at from generate_series(1, ${rows}::int) n) made`,
  );
  await pool.query("vacuum analyze recordings");
  const last = 1_764_000_000_000;
  const bounds = Array.from({ length: 29 }, (_, day) => new Date(last - (28 - day) * dayMs).toISOString());
  const read = async () => {
    const { results } = await createTrpcCaller(org).recordings.coverage({ bounds });
    expect(results[0]?.days.length).toBeGreaterThan(20);
  };
  await read();
  const before = await readTableStatistics("recordings");
  await read();
  // Some hundred rows, each on a page of its own at worst.
  const middle = await readTableStatistics("recordings");
  expect(middle.pages - before.pages).toBeLessThan(400);
  // So does the list of one of their days.
  const covers = `${bounds[20]}/${bounds[21]}`;
  for (const filters of [{ device_id: device }, {}, { ordering: "-started_at" as const }]) {
    const { results } = await createTrpcCaller(org).recordings.overview({ ...filters, covers });
    expect(results.length).toBeGreaterThan(5);
  }
  expect((await readTableStatistics("recordings")).pages - middle.pages).toBeLessThan(600);
});
