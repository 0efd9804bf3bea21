import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
} from "@prisma/driver-adapter-utils";
import * as engineModule from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { toTransactional } from "@/server/platform/database/apply-migration";
import { withConnection } from "@/server/platform/database/connection";
import type { Migration } from "@/server/platform/database/migration-files";
import { findPartFaults } from "@/server/platform/database/part-faults";

/** The types in PostgreSQL's catalogue, which the engine reads. Prisma's own adapter lacks the internal "char". */
const columnTypes = new Map<number, ColumnType>([
  [16, ColumnTypeEnum.Boolean],
  [18, ColumnTypeEnum.Character],
  [19, ColumnTypeEnum.Text],
  [20, ColumnTypeEnum.Int64],
  [21, ColumnTypeEnum.Int32],
  [23, ColumnTypeEnum.Int32],
  [25, ColumnTypeEnum.Text],
  [26, ColumnTypeEnum.Int64],
  [1003, ColumnTypeEnum.TextArray],
  [1009, ColumnTypeEnum.TextArray],
  [1043, ColumnTypeEnum.Text],
  [2206, ColumnTypeEnum.Text],
]);

const identity = { provider: "postgres", adapterName: "muster-schema-engine" } as const;

/** A connection for Prisma's engine. Scripts are sent as one statement, because functions contain semicolons. */
async function connect(url: string): Promise<SqlDriverAdapter> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the engine may leave it open until the server closes it
  await client.connect();
  const queryRaw = async ({ sql, args }: SqlQuery): Promise<SqlResultSet> => {
    const result = await client.query<unknown[]>({ text: sql, values: args, rowMode: "array" });
    return {
      columnNames: result.fields.map((field) => field.name),
      columnTypes: result.fields.map((field) => columnTypes.get(field.dataTypeID) ?? ColumnTypeEnum.Text),
      rows: result.rows,
    };
  };
  const queries = {
    ...identity,
    queryRaw,
    executeRaw: async ({ sql, args }: SqlQuery) => (await client.query(sql, args)).rowCount ?? 0,
  };
  return {
    ...queries,
    executeScript: async (script) => void (await client.query(script)),
    startTransaction: async () => {
      await client.query("begin");
      return {
        ...queries,
        options: { usePhantomQuery: true },
        commit: async () => void (await client.query("commit")),
        rollback: async () => void (await client.query("rollback")),
      };
    },
    getConnectionInfo: () => ({ schemaName: "public", supportsRelationJoins: true }),
    dispose: () => client.end(),
  };
}

let loaded = false;

/** Loads the engine's WebAssembly, which its package does only in Prisma's CLI. Loading it twice would break it. */
function loadEngine(): void {
  if (loaded) return;
  loaded = true;
  const require = createRequire(import.meta.url);
  const folder = path.dirname(require.resolve("@prisma/schema-engine-wasm"));
  const engine = new WebAssembly.Module(fs.readFileSync(path.join(folder, "schema_engine_bg.wasm")));
  const registry = { message: "", set_message: (message: string) => process.stderr.write(`${message}\n`) };
  Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: registry });
  const instance = new WebAssembly.Instance(engine, { "./schema_engine_bg.js": { ...engineModule } });
  const link: unknown = Reflect.get(engineModule, "__wbg_set_wasm");
  if (typeof link === "function") link(instance.exports);
  const begin = instance.exports.__wbindgen_start;
  if (typeof begin === "function") begin();
}

/**
 * The SQL that turns the result of the migrations into the schema of `schemaFolder`; empty when they agree. What is wrong
 * with parts of tables is a line of comment each. `url` is an empty database, to which the migrations are applied.
 */
export async function schemaDifference(url: string, migrations: Migration[], schemaFolder: string): Promise<string> {
  loadEngine();
  const files = fs.readdirSync(schemaFolder).filter((name) => name.endsWith(".prisma"));
  const schema = files.map((name) => ({
    path: path.join(schemaFolder, name),
    content: fs.readFileSync(path.join(schemaFolder, name), "utf8"),
  }));
  const factory = bindMigrationAwareSqlAdapterFactory({
    ...identity,
    connect: () => connect(url),
    connectToShadowDb: () => connect(url),
  });
  const sources = schema.map((file): [string, string] => [file.path, file.content]);
  const engine = await engineModule.SchemaEngine.new({ datamodels: sources }, () => {}, factory);
  const { exitCode, stdout } = await engine.diff({
    from: {
      tag: "migrations",
      baseDir: path.resolve("prisma/migrations"),
      lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"\n' },
      shadowDbInitScript: "",
      migrationDirectories: migrations.map((migration) => ({
        path: migration.name,
        migrationFile: { path: "migration.sql", content: { tag: "ok", value: toTransactional(migration) } },
      })),
    },
    to: { tag: "schemaDatamodel", files: schema },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  });
  // The engine leaves the migrations applied.
  const faults = await withConnection({ connectionString: url }, async (client) => {
    await client.query("begin"); // rolled back when the connection ends
    return findPartFaults(client);
  });
  return [...faults.map((fault) => `-- ${fault}`), ...(exitCode === 0 ? [] : [(stdout ?? "").trim()])].join("\n");
}
