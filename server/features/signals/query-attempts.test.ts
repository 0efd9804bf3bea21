import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Prepared, runQuery } from "@/server/features/signals/query-child";

let root: string;
let folder: string;

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "muster-query-"));
  folder = path.join(root, "own");
  mkdirSync(path.join(root, "other"), { recursive: true });
  mkdirSync(folder);
  writeFileSync(path.join(root, "other", "secret.csv"), "name,value\nsecret,42\n");
  writeFileSync(path.join(root, "other", "secret.json"), '{"name":"secret"}\n');
});
afterAll(() => rmSync(root, { recursive: true }));

/** What a person might send. `@` stands for the folder of another organization. */
const attempts: Record<string, string> = {
  "a file by its name": "select * from '@/secret.csv'",
  read_text: "select content from read_text('@/secret.csv')",
  read_blob: "select * from read_blob('@/secret.csv')",
  read_csv: "select * from read_csv('@/secret.csv')",
  read_csv_auto: "select * from read_csv_auto('@/secret.csv')",
  sniff_csv: "select * from sniff_csv('@/secret.csv')",
  read_json: "select * from read_json('@/secret.json')",
  read_json_auto: "select * from read_json_auto('@/secret.json')",
  read_json_objects: "select * from read_json_objects('@/secret.json')",
  read_ndjson: "select * from read_ndjson('@/secret.json')",
  "another organization's file": "select * from read_parquet('@/secret.parquet')",
  parquet_scan: "select * from parquet_scan('@/secret.parquet')",
  parquet_metadata: "select * from parquet_metadata('@/secret.parquet')",
  parquet_schema: "select * from parquet_schema('@/secret.parquet')",
  "parquet by its name": "select * from '@/secret.parquet'",
  "a file in WITH": "with a as (select * from read_text('@/secret.csv')) select * from a",
  "a file in a subquery": "select (select content from read_text('@/secret.csv')) as x",
  "a file in EXISTS": "select 1 as x where exists (select * from read_text('@/secret.csv'))",
  "a file in a join": "select * from (select 1 as x) a join read_text('@/secret.csv') b on true",
  "a file in UNION": "select 'x' as content union all select content from read_text('@/secret.csv')",
  "a file in query()": "select * from query('select * from read_text(''@/secret.csv'')')",
  glob: "select * from glob('@/*')",
  "COPY TO": "copy (select 1 as x) to '@/written.csv'",
  "COPY FROM": "copy text_table from '@/secret.csv'",
  "EXPORT DATABASE": "export database '@/exported'",
  ATTACH: "attach '@/new.db' as other",
  "CREATE TABLE": "create table another as select 1 as x",
  "CREATE MACRO": "create macro plus_one(x) as x + 1",
  INSERT: "insert into own_table values (1)",
  UPDATE: "update own_table set x = 2",
  DELETE: "delete from own_table",
  DROP: "drop table own_table",
  PRAGMA: "pragma threads = 1",
  SET: "set threads = 1",
  RESET: "reset threads",
  "SET VARIABLE": "set variable x = 1",
  CALL: "call pragma_version()",
  LOAD: "load parquet",
  INSTALL: "install httpfs",
  "two statements": "select 1 as x; select 2 as y",
  "settings of DuckDB": "select * from duckdb_settings()",
  "files of DuckDB": "select * from duckdb_databases()",
  current_setting: "select current_setting('threads') as x",
  "tables of the catalog": "select * from information_schema.tables",
};

const prepare = async (): Promise<Prepared> => ({ views: [], folder, fetch: async () => {} });

const refused = async (sql: string): Promise<string> => {
  const error: unknown = await runQuery({ sql, limit: 10, prepare }).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "invalid" });
  return String(error);
};

/** What files of another organization the attempts are about, made without a guard. */
const prepared = (): string[] => [
  "create table own_table (x integer)",
  "create table text_table (name varchar, value integer)",
  `copy (select 'secret' as name) to '${root}/other/secret.parquet' (format parquet)`,
];

describe("a query", () => {
  it.each(Object.entries(attempts))("with %s is refused, and would succeed without the guard", async (name, text) => {
    const sql = text.replaceAll("@", path.join(root, "other"));
    const message = await refused(sql);
    expect(message).not.toContain("secret,42");
    if (name === "INSTALL") return;
    const bare = await (await DuckDBInstance.create(":memory:")).connect();
    for (const statement of prepared()) await bare.run(statement);
    expect((await bare.runAndReadAll(sql)).currentRowCount).toBeGreaterThanOrEqual(0);
    bare.disconnectSync();
    rmSync(path.join(root, "other", "new.db"), { force: true });
    rmSync(path.join(root, "other", "exported"), { recursive: true, force: true });
  });

  it("that reads no topic has small limits", async () => {
    const counting = "with recursive r as (select 1 as n union all select n + 1 from r) select count(*) as x from r";
    await expect(runQuery({ sql: counting, limit: 10, prepare })).rejects.toThrow(
      /longer than 3 seconds|more than 256 MB|memory/,
    );
    const large = "select list(range) as everything from range(30000000)";
    await expect(runQuery({ sql: large, limit: 10, prepare })).rejects.toThrow(/memory|longer/i);
  });

  it("of endless work ends at its time limit", async () => {
    const sql = "select count(*) as n from range(10000000) a, range(10000000) b where (a.range + b.range) % 7 = 3";
    const asked = runQuery({ sql, limit: 10, seconds: 1, prepare });
    await expect(asked).rejects.toThrow("took longer than 1 second");
  });

  it("of a billion rows ends at its memory limit, or its rows at theirs", async () => {
    const sorted = "select list(range) as everything from range(1000000000)";
    const asked = runQuery({ sql: sorted, limit: 10, prepare });
    await expect(asked).rejects.toThrow(/memory/i);
    const rows = await runQuery({ sql: "select * from range(1000000000)", limit: 10, prepare });
    expect(rows).toMatchObject({ truncated: true });
    expect(rows.rows).toHaveLength(10);
  });

  it("has nothing of this process's environment", async () => {
    const message = await refused("select getenv('PATH') as x");
    expect(message).toContain("getenv");
  });
});
