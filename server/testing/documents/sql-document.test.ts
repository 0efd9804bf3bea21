import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { exampleQueries } from "@/components/sql/examples";
import { SignalsQuery } from "@/domain/signals/schema";
import { querySignals } from "@/server/features/signals/query-service";
import { listTables } from "@/server/features/signals/tables-service";
import { root } from "@/server/testing/architecture/source-tree";
import { listFences } from "@/server/testing/documents/fences";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { epoch, jsonRecording, processedRecording } from "@/server/testing/processing";

const document = "docs/sql.md";
const text = fs.readFileSync(path.join(root, document), "utf8");

/** The queries that the guide shows for Muster; those of the last part are for other engines. */
function listDocumented(): string[] {
  const [own = ""] = text.split("## From outside");
  const fences = listFences(document).filter(({ heading }) => heading !== "From outside");
  return [
    ...fences.filter(({ info }) => info === "sql").map((fence) => fence.text),
    ...fences
      .filter(({ info }) => info === "json")
      .map((fence) => SignalsQuery.pick({ sql: true }).parse(JSON.parse(fence.text)).sql),
    ...[...own.matchAll(/muster -- sql '([^']+)'/g)].map(([, sql = ""]) => sql),
    ...[...own.matchAll(/`((?:select .* from|describe) [^`]+)`/g)].map(([, sql = ""]) => sql),
  ];
}

/** More of what the guide says of the language, and what people ask of a fleet. */
const usual = [
  `summarize "/motor/state"`,
  `select device_name, time_bucket(interval '10 seconds', make_timestamp_ns(log_time)) as slot, avg(temperature) as mean
   from "/motor/state" group by all order by slot`,
  `select log_time, temperature - lag(temperature) over (partition by recording_id order by log_time) as rise
   from "/motor/state" qualify rise > 0`,
  `select m.temperature, i.log_time from "/motor/state" m asof join "/imu" i
   on m.recording_id = i.recording_id and m.log_time >= i.log_time`,
  `with hot as (select recording_id, max(temperature) as hottest from "/motor/state" group by all),
   ranked as (select *, rank() over (order by hottest desc) as place from hot)
   select * from ranked where place <= 3`,
  `select quantile_cont(temperature, [0.5, 0.95]) as quantiles, stddev(temperature) as spread, mode(mode) as mode,
   approx_count_distinct(mode) as modes from "/motor/state"`,
  `select list(temperature order by log_time)[1:3] as first, list_avg(list(temperature)) as mean from "/motor/state"`,
  `select case when temperature > 80 then 'hot' else 'cool' end as kind, count(*) filter (where mode > 0) as n
   from "/motor/state" group by kind having n >= 0`,
  `from "/motor/state" select make_timestamp_ns(log_time)::date as day, extract(hour from make_timestamp_ns(log_time)) as hour,
   strftime(make_timestamp_ns(log_time), '%H:%M') as clock, epoch(make_timestamp_ns(log_time)) as seconds limit 5`,
  `select * from (unpivot (select temperature, mode::double as mode from "/motor/state") on temperature, mode)`,
  `from (select mode, temperature from "/motor/state") pivot (avg(temperature) for mode in (1, 2))`,
  `select round(sqrt(power(x, 2) + 1) * 180 / pi(), 2) as angle from range(3) r(x)`,
  `select columns('temp.*'), * exclude (device_id) from "/motor/state" where device_name like 'Arm%' or device_name ~ 'A.*'`,
  `select regexp_extract(device_name, '\\d+')::int as number, upper(device_name) || '!' as name, printf('%.1f', temperature) as t
   from "/motor/state" where device_name is not null`,
  `with recursive n as (select 1 as x union all select x + 1 from n where x < 5) select sum(x) as sum from n`,
  `select arg_max(log_time, temperature) as at, corr(temperature, mode) as alike, regr_slope(temperature, log_time) as slope
   from "/motor/state"`,
  `select histogram(mode) as modes, {'low': min(temperature), 'high': max(temperature)} as span from "/motor/state"`,
  `select coalesce(temperature, 0) as t, nullif(mode, 2) as m, greatest(temperature, 50) as g, temperature is null as empty,
   temperature between 10 and 90 as usual, epoch_ns(now()) > log_time as past from "/motor/state"`,
];

let organization: TestOrganization;
beforeAll(async () => {
  organization = await makeOrganization();
  const device = await makeDevice(organization, { name: "Arm 3" });
  const stamp = { sec: Number(epoch / 1_000_000_000n), nsec: 5 };
  await processedRecording(organization, device.uid, [
    await jsonRecording({
      "/motor/state": [61, 85, 70].map((temperature, at) => [at, { temperature, mode: at }]),
      "/imu": [[0, { header: { stamp } }]],
      "/motor": [[0, { temp: 20 }]],
    }),
  ]);
});

describe("a query that is documented runs:", () => {
  test.each(listDocumented())("%s", async (sql) => {
    expect((await querySignals(organization.ctx, { sql })).row_count).toBeGreaterThan(0);
  });

  test("the guide has the ones that this looks for", () => {
    expect(listDocumented()).toHaveLength(5);
  });

  test("the example of the API", async () => {
    const example = SignalsQuery.pick({ sql: true }).parse(SignalsQuery.meta()?.example);
    expect((await querySignals(organization.ctx, example)).row_count).toBe(1);
  });

  test("those that the page offers, and its command", async () => {
    const { results } = await listTables(organization.ctx);
    const page = fs.readFileSync(path.join(root, "components/sql/sql-page.tsx"), "utf8");
    const [, command = ""] = /"sql": "(.+?)"}'/.exec(page) ?? [];
    const offered = exampleQueries(results).map(({ sql }) => sql);
    expect(offered).toHaveLength(3);
    for (const sql of [...offered, command.replaceAll('\\\\"', '"')]) {
      expect((await querySignals(organization.ctx, { sql })).row_count).toBeGreaterThan(0);
    }
  });
});

describe("a query of the language that is documented runs:", () => {
  test.each(usual)("%s", async (sql) => {
    expect((await querySignals(organization.ctx, { sql })).columns.length).toBeGreaterThan(0);
  });
});
