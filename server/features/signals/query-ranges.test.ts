import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, it } from "vitest";
import { querySignals } from "@/server/features/signals/query-service";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording } from "@/server/testing/processing";

const fields = 60;
const rows = 4_000;
let organization: TestOrganization;
let bytes: number;

const ask = (sql: string) => querySignals(organization.ctx, { sql });
const cache = (): string => path.join(env.DATA_DIR, "signals", "cache");
const cachedBytes = (): number =>
  readdirSync(cache(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).blocks * 512, 0);

/** Values without a pattern, which no compression makes small. */
const noise = (seed: number): number => Math.sin(seed * 12.9898) * 43_758.5453;

beforeAll(async () => {
  organization = await makeOrganization();
  const device = await makeDevice(organization);
  const wide = (from: number) =>
    Array.from({ length: rows }, (_, row): [number, unknown] => [
      row / 100,
      Object.fromEntries(
        Array.from({ length: fields }, (__, field) => [`f${field}`, noise(from + row * fields + field)]),
      ),
    ]);
  await processedRecording(organization, device.uid, [
    await jsonRecording({ "/wide": wide(0), "/small": [[0, { x: 1 }]] }),
  ]);
  await processedRecording(organization, device.uid, [await jsonRecording({ "/wide": wide(7) })]);
  const files = await prisma.signalFile.findMany({ where: { organizationId: organization.uid, topic: "/wide" } });
  bytes = files.reduce((sum, { sizeBytes }) => sum + Number(sizeBytes), 0);
}, 60_000);

/** Each kind of place in a query where a field may stand. */
const questions = [
  `select count(*) as n from "/wide"`,
  `select round(avg(f3), 6) as x from "/wide"`,
  `select min(log_time) as a, max(log_time) as b from "/wide"`,
  `select count(*) as n from "/wide" where f7 > 0`,
  `select f1 from "/wide" where f2 > 0 and f59 < 0 order by f4 desc, f1 limit 20`,
  `select count(f8) as n, max(f8) as most from "/wide" group by recording_id order by most`,
  `select count(*) as n from "/wide" where f5 in (select f5 from "/wide" where f6 > 100)`,
  `select round(sum(a.f1 - b.f1), 3) as x from "/wide" a join "/wide" b on a.log_time = b.log_time and a.f9 < b.f9`,
  `with last as (select f1, row_number() over (partition by recording_id order by log_time desc) as n from "/wide")
    select f1 from last where n = 1 order by 1`,
  `select quantile_cont(columns('f1[01]'), 0.9) from "/wide"`,
  `select count(*) as n from "/wide" a where exists (select 1 from "/small" b where b.x < a.f20)`,
  `select (select max(f30) from "/wide") as x, (select x from "/small") as y`,
  `select x.f40 as v from (select unnest(list(w)) as x from (select f40, f41 from "/wide") w) order by v limit 3`,
  `select f50 as v from "/wide" union select f51 from "/wide" order by v limit 5`,
  `select count(*) as n from (select distinct f52 > 0 as a, f53 > 0 as b from "/wide")`,
  `select f1, lag(f2) over (order by recording_id, log_time) as before from "/wide" qualify before > f3 order by f1 limit 4`,
  `select count(*) as n from "/wide" where log_time between ${epoch + 5_000_000_000n} and ${epoch + 6_000_000_000n}`,
];

describe("a query over large files", () => {
  const results = new Map<string, unknown[][]>();

  it.each(questions)("reads the columns it needs: %s", async (sql) => {
    rmSync(cache(), { recursive: true, force: true });
    const { rows: found, bytes_read } = await ask(sql);
    expect(bytes_read).toBeLessThan(bytes / 3);
    expect(cachedBytes()).toBeLessThan(bytes / 3 + 100_000);
    results.set(sql, found);
  });

  it("has the result that DuckDB has over whole files", async () => {
    expect((await ask(`from "/wide" limit 1`)).bytes_read).toBeGreaterThan(bytes - 100);
    const files = readdirSync(cache(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".parts"))
      .map(({ parentPath, name }) => path.join(parentPath, name))
      .filter((file) => statSync(file).size > 1_000_000);
    expect(files).toHaveLength(2);
    const bare = await (await DuckDBInstance.create(":memory:")).connect();
    const list = files.map((file) => `'${file}'`).join(", ");
    await bare.run(`create view "/wide" as select filename as recording_id, 'x' as device_name, * exclude (filename)
      from read_parquet([${list}], filename = true)`);
    await bare.run(`create view "/small" as select 1 as x`);
    const toText = (found: unknown[][]) => found.map((row) => row.map(String));
    for (const [sql, found] of results) {
      expect(toText((await bare.runAndReadAll(sql)).getRows()), sql).toEqual(toText(found));
    }
    expect(results.size).toBe(questions.length);
    bare.disconnectSync();
  });

  it("of one field reads less than a tenth of them", async () => {
    rmSync(cache(), { recursive: true, force: true });
    expect((await ask(`select max(f1) as x from "/wide"`)).bytes_read).toBeLessThan(bytes / 10);
  });

  it("names what it does not find before it reads", async () => {
    rmSync(cache(), { recursive: true, force: true });
    await expect(ask(`select f1,\n  missing from "/wide"`)).rejects.toThrow(/LINE 2: {3}missing/);
    expect(cachedBytes()).toBeLessThan(bytes / 3);
  });

  it("says that a file was deleted meanwhile", async () => {
    rmSync(cache(), { recursive: true, force: true });
    const [file] = await prisma.signalFile.findMany({ where: { organizationId: organization.uid, topic: "/small" } });
    await objectStore().delete(file!.storageKey);
    await expect(ask(`select x from "/small"`)).rejects.toThrow("were deleted meanwhile. Ask again.");
  });
});
