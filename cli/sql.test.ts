import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { runSql, type SqlOptions } from "@/cli/sql";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { jsonRecording, processedRecording, temperatures, writeSignals } from "@/server/testing/processing";

let organization: TestOrganization;
let server: Loopback;
let [first, second] = ["", ""];
let lines: string[];
let errors: string[];

beforeAll(async () => {
  organization = await makeOrganization();
  server = await startLoopback();
  const device = await makeDevice(organization, { name: 'Robot "1", left' });
  const upload = async (values: number[]) =>
    processedRecording(organization, device.uid, [await jsonRecording({ "/motor": temperatures(values) })]);
  [first, second] = [await upload([1, 2]), await upload([30])];
  await writeSignals(first, second);
});
afterAll(() => server.close());

beforeEach(() => {
  [lines, errors] = [[], []];
  vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
  vi.spyOn(console, "error").mockImplementation((line) => void errors.push(String(line)));
});
afterEach(() => vi.restoreAllMocks());

const run = (sql: string, change: Partial<SqlOptions> = {}) =>
  runSql(sql, { url: server.url, key: organization.key, limit: "10000", format: "table", ...change });

const perDevice = `select device_name, sum("data.value") as total from "/motor" group by all`;

describe("muster sql", () => {
  test("prints a table, and what was read", async () => {
    await run(perDevice);
    expect(lines).toEqual(["device_name      total", 'Robot "1", left  33']);
    expect(errors.at(-1)).toMatch(/^1 row; 2 recordings, \d\.\d MB, \d+ ms$/);
  });

  test("prints CSV and JSON", async () => {
    await run(perDevice, { format: "csv", recording: [first] });
    expect(lines).toEqual(["device_name,total", '"Robot ""1"", left",3']);
    lines = [];
    const exact = "select 9007199254740993 as big, -9223372036854775808 as least, '=1' as text, null as none";
    await run(exact, { format: "csv" });
    expect(lines).toEqual(["big,least,text,none", "9007199254740993,-9223372036854775808,=1,"]);
    lines = [];
    await run(`select "data.value" as v from "/motor" order by v`, { format: "json", limit: "2" });
    expect(JSON.parse(lines.join("\n"))).toMatchObject({ rows: [[1], [2]], truncated: true, row_count: 2 });
  });

  test("prints DuckDB's message of a query that is wrong", async () => {
    await expect(run(`select missing from "/motor"`)).rejects.toThrow(/sql: .*missing/);
    await expect(run("select 1", { key: undefined })).rejects.toThrow("Give an API key");
    await expect(run("select 1", { limit: "0" })).rejects.toThrow("--limit must be");
    await expect(run("select 1", { url: "nowhere" })).rejects.toThrow("is no address");
  });
});
