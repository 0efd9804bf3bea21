import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Prepared, runQuery } from "@/server/features/signals/query-child";
import { queryFunctions } from "@/server/features/signals/query-functions.mjs";
import { checkQuery } from "@/server/features/signals/query-guard.mjs";
import { invalid, ServiceError } from "@/server/platform/errors";
import { testFolder } from "@/server/testing/database";

let root: string;
let folder: string;
/** The program of queries without what guards it, beside its packages. */
let unguarded: string;
/** Describes queries to the guard, without running them. */
let describing: DuckDBConnection;

beforeAll(async () => {
  describing = await (await DuckDBInstance.create(":memory:")).connect();
  root = mkdtempSync(path.join(tmpdir(), "muster-query-"));
  folder = path.join(root, "own");
  mkdirSync(path.join(root, "other"), { recursive: true });
  mkdirSync(folder);
  writeFileSync(path.join(root, "other", "secret.csv"), "name,value\nsecret,42\n");
  writeFileSync(path.join(root, "other", "secret.json"), '{"name":"secret"}\n');
  mkdirSync(testFolder, { recursive: true });
  unguarded = mkdtempSync(path.join(testFolder, "unguarded-"));
  for (const file of ["query-thread.mjs", "query-plan.mjs"]) {
    copyFileSync(path.join("server/features/signals", file), path.join(unguarded, file));
  }
  writeFileSync(path.join(unguarded, "query-guard.mjs"), "export const checkQuery = () => [];\n");
});
afterAll(() => {
  describing.disconnectSync();
  rmSync(root, { recursive: true });
  rmSync(unguarded, { recursive: true });
});

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

/** Ways around what refuses those: names of WITH where they do not hold, and functions that read or do something else. */
const evasions: Record<string, string> = {
  "a catalog named by a WITH further in":
    "select sql from sqlite_master where exists (with sqlite_master as (select 1 as a) select * from sqlite_master)",
  "a catalog named by a WITH beside it":
    "select * from (with pg_settings as (select 1 as x) select * from pg_settings) a, pg_settings b",
  "a catalog named by a WITH of the other half":
    "(with duckdb_views as (select 1 as x) select 'x' as name from duckdb_views) union all select view_name from duckdb_views",
  "a catalog named by a later WITH":
    "with b as (select * from duckdb_views), duckdb_views as (select 1 as x) select * from b",
  "a catalog that its own WITH reads": "with pg_settings as (select * from pg_settings) select * from pg_settings",
  "a catalog that a recursive WITH begins with":
    "with recursive duckdb_logs as (select message from duckdb_logs union all select 'x' from duckdb_logs where false) from duckdb_logs",
  "a catalog whose name a WITH only resembles":
    "with duc\u212adb_views as (select 1 as x) select sql from duckdb_views",
  "a catalog named by a WITH in a scalar":
    "select (with pg_tables as (select 1 as x) select x from pg_tables) as one, * from pg_tables",
  "a catalog named by a WITH in ORDER BY":
    "select * from pg_views order by (with pg_views as (select 1 as x) select x from pg_views)",
  "a catalog named by a WITH in LATERAL":
    "select * from duckdb_tables t, lateral (with duckdb_tables as (select 1 as x) select x from duckdb_tables) u",
  "a file named by a WITH further in":
    'select * from \'@/secret.csv\' where exists (with "@/secret.csv" as (select 1 as x) select * from "@/secret.csv")',
  "files named by a WITH further in":
    'select * from \'@/*.csv\' where exists (with "@/*.csv" as (select 1 as x) select * from "@/*.csv")',
  "a description of a catalog": "describe duckdb_settings",
  "a summary of a catalog": "summarize pg_settings",
  "a catalog of a schema": "select * from pg_catalog.pg_settings",
  "a plan that computes a setting":
    "select json_serialize_plan('select current_setting(''allowed_directories'')', optimize := true) as x",
  "a statement as text":
    "select * from json_execute_serialized_sql(json_serialize_sql('select * from duckdb_settings()'))",
  "a statement read from text": "select json_deserialize_sql('{}') as x",
  "a table named by a text": "select * from query_table('duckdb_settings')",
  "a table named by a text of a histogram": "select * from histogram('duckdb_settings', name)",
  pg_sleep: "select pg_sleep(30) as x",
  sleep_ms: "select sleep_ms(30000) as x",
  "a setting as a method": "select ('threads').current_setting() as x",
  "a setting in other letters": "select \"CURRENT_SETTING\"('allowed_directories') as x",
  "a setting of a schema": "select main.current_setting('allowed_directories') as x",
  "a setting in a lambda": "select list_transform(['allowed_directories'], lambda n: current_setting(n)) as x",
  "a setting in a window": "select count(*) over (order by current_setting('threads')) as x",
  "a setting in FILTER": "select count(*) filter (where current_setting('threads') = '2') as x",
  "the environment": "select getenv('HOME') as x",
  "a variable": "select getvariable('x') as x",
  "the text of the query": "select current_query() as x",
  "the version": "select version() as x",
  "a view's text": "select pg_get_viewdef(1) as x",
  secrets: "select * from duckdb_secrets()",
  which_secret: "select * from which_secret('s3://bucket', 's3')",
  "the platform": "select * from pragma_platform()",
  "columns of a catalog": "select * from pragma_table_info('duckdb_settings')",
  "size of the database": "select * from pragma_database_size()",
  "logs of files": "select * from duckdb_logs_parsed('FileSystem')",
  "beginning a log": "select * from enable_logging('FileSystem')",
  "writing a log": "select write_log('x') as x",
  "a database of a file": "select * from read_duckdb('@/secret.db')",
  "completing a name": "select * from sql_auto_complete('select * from ')",
  "an address in memory": "select * from arrow_scan(0::pointer, 0::pointer, 0::pointer)",
};

/** As the product prepares: what is no topic does not exist. */
const prepareTopics = async (tables: readonly string[]): Promise<Prepared> => {
  if (tables.length > 0) throw invalid("sql", `There is no topic ${JSON.stringify(tables[0])} in these recordings.`);
  return prepare();
};

/** What DuckDB has beside that: of the session, its settings and catalogs, of statements as text, and its own parts. */
const refusedNames =
  /^(__internal_|icu_|st_|has_|inet_|current_(?!date$|time$|localtime)|pg_(?!size_pretty|typeof)|json_(de)?serialize_|variant_(bytes|normalize|to))|_privilege$|_description$/;
const refusedFunctions = new Set(
  `alias combine create_sort_key currval finalize format_pg_type format_type get_block_size getvariable in_search_path
  make_type map_to_pg_oid nextval parse_duckdb_log_message remap_struct replace_type session_user sleep_ms stats txid_current
  unpivot_list user vector_type version write_log`.split(/\s+/),
);

const prepare = async (): Promise<Prepared> => ({ views: [], folder, fetch: async () => {} });

const refused = async (sql: string): Promise<string> => {
  const error: unknown = await runQuery({ sql, limit: 10, prepare }).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: "invalid" });
  return String(error);
};

/**
 * The tables that a query names, as the program of queries has them from the guard, which throws where it refuses. Asked
 * here, because a process that loads DuckDB costs a hundred times what the guard does.
 */
async function askGuard(sql: string): Promise<string[]> {
  const described = await describing.runAndReadAll("select json_serialize_sql($1::varchar)::varchar", [sql]);
  return checkQuery(JSON.parse(String(described.getRows()[0]?.[0])), sql);
}

/** What files of another organization the attempts are about, made without a guard. */
const prepared = (): string[] => [
  "create table own_table (x integer)",
  "create table text_table (name varchar, value integer)",
  `copy (select 'secret' as name) to '${root}/other/secret.parquet' (format parquet)`,
];

describe("a query", () => {
  it.each(Object.entries(attempts))("with %s is refused, and would succeed without the guard", async (name, text) => {
    const sql = text.replaceAll("@", path.join(root, "other"));
    const message = await askGuard(sql).then(() => refused(sql), String);
    expect(message).not.toContain("secret,42");
    if (name === "INSTALL") return;
    const bare = await (await DuckDBInstance.create(":memory:")).connect();
    for (const statement of prepared()) await bare.run(statement);
    expect((await bare.runAndReadAll(sql)).currentRowCount).toBeGreaterThanOrEqual(0);
    bare.disconnectSync();
    rmSync(path.join(root, "other", "new.db"), { force: true });
    rmSync(path.join(root, "other", "exported"), { recursive: true, force: true });
  });

  it.each(Object.entries(evasions))("with %s is refused", async (_, text) => {
    const sql = text.replaceAll("@", path.join(root, "other"));
    const asked = askGuard(sql).then(prepareTopics);
    await expect(asked).rejects.toThrow(/cannot be used|There is no topic|without a schema/);
  });

  it.each([
    ["set threads = 1", "Only one SELECT statement is allowed."],
    ["select 1 as x; select 2 as y", "Only one SELECT statement is allowed."],
    ["select * from pg_catalog.pg_settings", "Tables are topics, without a schema or a database."],
    ["select * from duckdb_secrets()", "The function duckdb_secrets cannot be used as a table."],
    ["select getvariable('x') as x", "The function getvariable cannot be used."],
    ["select * from duckdb_views", "There is no topic"],
  ])("that the guard refuses does not run, and is the fault of who asked: %s", async (sql, reason) => {
    const asked = runQuery({ sql, limit: 10, prepare: prepareTopics });
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid" });
    expect(String(error)).toContain(reason);
  });

  it.each(Object.entries(evasions))("with %s reads nothing of others, even without the guard", async (_, text) => {
    const sql = text.replaceAll("@", path.join(root, "other"));
    const asked = runQuery({
      sql,
      limit: 10_000,
      prepare,
      seconds: 3,
      program: path.join(unguarded, "query-thread.mjs"),
    });
    const answer = await asked.then(JSON.stringify, (error: unknown) => {
      expect(error).toMatchObject({ code: "invalid" });
      return String(error);
    });
    expect(answer).not.toContain("secret,42");
    expect(answer).not.toContain("postgres");
    for (const name of ["DATABASE_URL", "DATA_DIR"]) {
      const value = process.env[name];
      expect(value).toBeTruthy();
      expect(answer).not.toContain(value);
    }
  });

  it("may call each function of DuckDB, or it is one of those that are refused", async () => {
    const bare = await (await DuckDBInstance.create(":memory:")).connect();
    const listed = await bare.runAndReadAll(
      "select distinct lower(function_name) from duckdb_functions() where function_type in ('scalar', 'aggregate', 'macro')",
    );
    const names = listed.getRows().map(([name]) => String(name));
    const isRefused = (name: string) => refusedNames.test(name) || refusedFunctions.has(name);
    expect(names.filter((name) => queryFunctions.has(name) === isRefused(name))).toEqual([]);
    const parsers = ["unlist", "unnest"];
    expect([...queryFunctions].filter((name) => !names.includes(name)).toSorted()).toEqual(parsers);
    bare.disconnectSync();
  });

  it("may use a name of WITH wherever it holds", async () => {
    const rows = async (sql: string) => (await runQuery({ sql, limit: 10, prepare: prepareTopics })).rows;
    const own = "with pg_settings as (select 42 as x)";
    for (const sql of [
      `${own} from pg_settings`,
      `${own}, b as (select * from PG_settings) select * from b`,
      `${own} select * from pg_settings union select * from pg_settings`,
      `${own} select (select x from pg_settings) as x`,
      `${own} select * from range(1) r, lateral (select x from pg_settings) s order by (select x from pg_settings)`.replace(
        "*",
        "s.x",
      ),
      `${own} select (with b as (from pg_settings) select x from b) as x`,
      "with recursive n as (select 1 as x union all select x + 1 from n where x < 42) select max(x) from n",
    ]) {
      expect([sql, await rows(sql)]).toEqual([sql, [[42]]]);
    }
    expect(await rows(`${own} select column_name from (describe pg_settings)`)).toEqual([["x"]]);
  });

  it("names a function that cannot be used with its place, and one that does not exist with one that is alike", async () => {
    const messages = async (sql: string) => {
      const asked = runQuery({ sql, limit: 10, prepare: prepareTopics });
      return asked.then(
        () => null,
        (error: unknown) => (error instanceof ServiceError ? error.body() : error),
      );
    };
    expect(await messages("select 'ä',\n  version() as x")).toEqual({
      sql: ["The function version cannot be used.\n\nLINE 2:   version() as x\n          ^"],
    });
    const alike = /averge does not exist!\nDid you mean "\w+"\?\n\nLINE 1: select averge\(1\) as x\n {15}\^$/;
    expect(await messages("select averge(1) as x")).toEqual({ sql: [expect.stringMatching(alike)] });
  });

  it("that reads no topic has small limits", async () => {
    const counting = "with recursive r as (select 1 as n union all select n + 1 from r) select count(*) as x from r";
    await expect(runQuery({ sql: counting, limit: 10, prepare: prepareTopics })).rejects.toThrow(
      /longer than 3 seconds|more than 256 MB|memory/,
    );
    const large = "select list(range) as everything from range(30000000)";
    await expect(runQuery({ sql: large, limit: 10, prepare: prepareTopics })).rejects.toThrow(/memory|longer/i);
  });

  it("of endless work ends at its time limit", async () => {
    const sql = "select count(*) as n from range(10000000) a, range(10000000) b where (a.range + b.range) % 7 = 3";
    const asked = runQuery({ sql, limit: 10, seconds: 1, prepare });
    await expect(asked).rejects.toThrow("took longer than 1 second");
  });

  it("of a billion rows ends at its memory limit, or its rows at theirs", async () => {
    const sorted = "select list(range) as everything from range(1000000000)";
    // Time enough for the memory to be used up on a busy machine.
    const asked = runQuery({ sql: sorted, limit: 10, seconds: 60, prepare });
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
