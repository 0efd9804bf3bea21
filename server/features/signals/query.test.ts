import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { querySignals } from "@/server/features/signals/query-service";
import { inQueryTurn } from "@/server/features/signals/query-turn";
import { env } from "@/server/platform/env";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { jsonRecording, processedRecording, temperatures, epoch } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let organization: TestOrganization;
let other: TestOrganization;
let device: { uid: string };
let quoted: { uid: string };
let first: string;
let second: string;
let third: string;

const ask = (sql: string, more: object = {}) => querySignals(organization.ctx, { sql, ...more });

beforeAll(async () => {
  [organization, other] = [await makeOrganization(), await makeOrganization()];
  device = await makeDevice(organization, { name: "Robot 1" });
  quoted = await makeDevice(organization, { name: 'O\'Neill "2"' });
  const foreign = await makeDevice(other);
  const upload = async (to: TestOrganization, on: { uid: string }, tracks: Parameters<typeof jsonRecording>[0]) =>
    processedRecording(to, on.uid, [await jsonRecording(tracks)]);
  first = await upload(organization, device, { "/motor/temp": temperatures([1, 2, 3]), "/mode": [[0, { on: true }]] });
  second = await upload(organization, quoted, { "/motor/temp": temperatures([10, 20]), "/mode": [[0, { on: 5 }]] });
  third = await upload(organization, device, { "/motor/temp": [[0, { data: { value: 7 }, extra: 1.5 }]] });
  await upload(other, foreign, {
    "/motor/temp": temperatures([1_000_000]),
    "/secret": temperatures([1]),
  });
});

describe("a query over signals", () => {
  it("sees each topic as a table, with the recording and the device of every row", async () => {
    const result = await ask(`select * from "/motor/temp" order by log_time, "data.value"`);
    expect(result.columns.slice(0, 4)).toEqual([
      { name: "recording_id", type: "VARCHAR" },
      { name: "device_id", type: "VARCHAR" },
      { name: "device_name", type: "VARCHAR" },
      { name: "log_time", type: "BIGINT" },
    ]);
    expect(result).toMatchObject({ row_count: 6, truncated: false, recordings: 3, skipped: [] });
    const value = result.columns.findIndex(({ name }) => name === "data.value");
    const extra = result.columns.findIndex(({ name }) => name === "extra");
    expect(result.rows.map((row) => [row[0], row[1], row[2], row[3], row[value], row[extra]])).toEqual([
      [first, device.uid, "Robot 1", String(epoch), 1, null],
      [third, device.uid, "Robot 1", String(epoch), 7, 1.5],
      [second, quoted.uid, 'O\'Neill "2"', String(epoch), 10, null],
      [first, device.uid, "Robot 1", String(epoch + 1_000_000_000n), 2, null],
      [second, quoted.uid, 'O\'Neill "2"', String(epoch + 1_000_000_000n), 20, null],
      [first, device.uid, "Robot 1", String(epoch + 2_000_000_000n), 3, null],
    ]);
    expect(result.bytes_read).toBeGreaterThan(0);
  });

  it("refuses elements of lists that no recording had, and those of scans, with the reason", async () => {
    const list = (length: number) => Array.from({ length }, (_, at) => at);
    const uid = await processedRecording(organization, device.uid, [
      await jsonRecording({
        "/joints": [[0, { position: list(29) }]],
        "/scan": [[0, { ranges: list(720), range_max: 9 }]],
      }),
    ]);
    const read = (sql: string) => ask(sql, { recordings: [uid] });
    expect((await read(`select "position[28]" as p from "/joints"`)).rows).toEqual([[28]]);
    await expect(read(`select "position[29]" from "/joints"`)).rejects.toThrow("up to the 64th");
    await expect(read(`select max("ranges[0]") from "/scan"`)).rejects.toThrow("more than 256 elements");
    await expect(read(`select nothing from "/scan"`)).rejects.not.toThrow("256");
  });

  it("computes with stamps to the nanosecond", async () => {
    const stamp = { sec: Number(epoch / 1_000_000_000n), nsec: 250 };
    const uid = await processedRecording(organization, device.uid, [
      await jsonRecording({ "/imu": [[1, { header: { stamp } }]] }),
    ]);
    const result = await ask(`select log_time - "header.stamp" as late, "header.stamp" as at from "/imu"`, {
      recordings: [uid],
    });
    expect(result.rows).toEqual([[999_999_750, String(epoch + 250n)]]);
  });

  it("is limited to recordings, devices, times and rows", async () => {
    const sum = `select sum("data.value") as s, count(*) as n from "/motor/temp"`;
    expect((await ask(sum, { recordings: [first, second] })).rows).toEqual([[36, 5]]);
    expect((await ask(sum, { device_ids: [quoted.uid] })).rows).toEqual([[30, 2]]);
    const at = (seconds: number) => new Date(Number(epoch / 1_000_000n) + seconds * 1_000);
    expect((await ask(sum, { since: at(1.5) })).rows).toEqual([[6, 3]]);
    const cut = await ask(`select * from "/motor/temp"`, { limit: 4 });
    expect(cut).toMatchObject({ row_count: 4, truncated: true });
    await expect(ask(sum, { until: at(-10) })).rejects.toThrow("There is no topic");
    const described = await ask(`describe "/motor/temp"`);
    expect(described.rows.map((row) => row[0])).toContain("data.value");
  });

  it("leaves out a recording whose field is of another kind, and names it", async () => {
    const result = await ask(`select count(*) as n from "/mode"`);
    expect(result.rows).toEqual([[1]]);
    expect(result.skipped).toEqual([
      { recording_id: first, topic: "/mode", reason: '"on" is bool, and float64 in newer recordings.' },
    ]);
  });

  it("never sees another organization", async () => {
    await expect(ask(`select * from "/secret"`)).rejects.toThrow('There is no topic \\"/secret\\"');
    const result = await ask(`select max("data.value") as m from "/motor/temp"`);
    expect(result.rows).toEqual([[20]]);
  });

  it("is answered over REST, with DuckDB's messages as 400", async () => {
    const post = (body: object) => request("POST", "/fleet/signals/query/", { key: organization.key, body });
    const answered = await post({ sql: `select 1 as one, 'nan'::double as broken, 9007199254740993 as big` });
    expect(answered.status).toBe(200);
    expect(answered.body).toMatchObject({ rows: [[1, "NaN", "9007199254740993"]], row_count: 1, recordings: 0 });
    const wrong = await post({ sql: `select nothing from "/motor/temp"` });
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).toContain("nothing");
    const unread = await post({ sql: `select 1,\n  'ä' frm x` });
    expect(unread.body.sql).toEqual([`syntax error at or near "x"\n\nLINE 2:   'ä' frm x\n                  ^`]);
  });

  it("waits its turn, else is answered 429 with Retry-After", async () => {
    const sql = "select 1 as x";
    let waiting: Promise<unknown>[] = [];
    await inQueryTurn(organization.uid, async () => {
      waiting = Array.from({ length: 5 }, () => inQueryTurn(organization.uid, async () => 1));
      const refused = await request("POST", "/fleet/signals/query/", { key: organization.key, body: { sql } });
      expect(refused.status).toBe(429);
      expect(refused.headers.get("retry-after")).toBe("5");
      expect(refused.body).toEqual({ detail: "Other queries are running. Try again in a few seconds." });
    });
    await Promise.all(waiting);
    expect((await ask(sql)).rows).toEqual([[1]]);
  });

  it("leaves no folder behind", async () => {
    await expect(ask("select broken")).rejects.toThrow("broken");
    const folder = path.join(env.DATA_DIR, "signals");
    const left = existsSync(folder) ? readdirSync(folder) : [];
    expect(left.filter((name) => name.startsWith("query-"))).toEqual([]);
  });
});
