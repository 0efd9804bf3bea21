import { createRequire } from "node:module";
import type { Database, Statement } from "node-sqlite3-wasm";
import { NotConvertible } from "@/engine/formats/conversion";

export type SqliteRow = Record<string, unknown>;

const tables = ["topics", "messages", "message_definitions"] as const;
type Table = (typeof tables)[number];

const damaged = "is a ROS 2 db3 file whose pages are damaged";

/** The package is CommonJS and finds its WebAssembly beside itself, so that it is never bundled. */
function openDatabase(file: string): Database {
  const { Database: Sqlite } = createRequire(import.meta.url)("node-sqlite3-wasm") as {
    Database: new (name: string, options: { readOnly: boolean; fileMustExist: boolean }) => Database;
  };
  return new Sqlite(file, { readOnly: true, fileMustExist: true });
}

/**
 * A rosbag2 file opened for fixed statements only, with everything switched off by which a schema could run code:
 * a file from anywhere is untrusted input to SQLite.
 */
export class SqliteFile {
  private constructor(
    private readonly database: Database,
    private readonly present: ReadonlySet<Table>,
  ) {}

  /**
   * Throws a NotConvertible for a file that is no rosbag2 file, or has views, triggers, virtual tables or computed
   * columns under the names of its tables.
   */
  static open(file: string): SqliteFile {
    let database: Database | null = null;
    try {
      database = openDatabase(file);
      // In this mode a write-ahead log is read without the index in memory that processes would share.
      for (const pragma of [
        "locking_mode=exclusive",
        "trusted_schema=off",
        "cell_size_check=on",
        "query_only=on",
        "mmap_size=0",
      ]) {
        database.exec(`pragma ${pragma}`);
      }
      return new SqliteFile(database, checkedTables(database));
    } catch (error) {
      quietly(() => database?.close());
      if (error instanceof NotConvertible) throw error;
      throw new NotConvertible(damaged);
    }
  }

  has(table: Table): boolean {
    return this.present.has(table);
  }

  /** Rows of a fixed statement, one after another. Throws a NotConvertible where the file is damaged. */
  *rows(sql: string): Generator<SqliteRow> {
    let statement: Statement | null = null;
    try {
      statement = this.database.prepare(sql);
      yield* statement.iterate() as IterableIterator<SqliteRow>;
    } catch {
      throw new NotConvertible(damaged);
    } finally {
      // Reports the error of the last step once more.
      quietly(() => statement?.finalize());
    }
  }

  close(): void {
    quietly(() => this.database.close());
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // What could be read was read.
  }
}

const schemaSql = `select type, lower(name) as name, lower(tbl_name) as owner, substr(sql, 1, 40) as start
  from sqlite_schema where lower(name) in ('topics', 'messages', 'message_definitions')
    or (type = 'trigger' and lower(tbl_name) in ('topics', 'messages', 'message_definitions')) limit 20`;

/** The rosbag2 tables of the file, each known to be an ordinary table of stored columns. */
function checkedTables(database: Database): Set<Table> {
  const present = new Set<Table>();
  for (const { type, name, start } of database.all(schemaSql) as SqliteRow[]) {
    const table = tables.find((each) => each === name);
    const ordinary = type === "table" && typeof start === "string" && /^\s*create\s+table\b/i.test(start);
    if (!table || !ordinary || present.has(table)) {
      throw new NotConvertible("is a SQLite file with views, triggers or virtual tables in the place of recorded data");
    }
    present.add(table);
  }
  if (!present.has("topics") || !present.has("messages")) {
    throw new NotConvertible(
      "is a SQLite file, but not one that ROS 2 recorded: it lacks the tables of topics and messages",
    );
  }
  for (const table of present) {
    const columns = database.all(`pragma table_xinfo(${table})`) as SqliteRow[];
    if (columns.some(({ hidden }) => hidden !== 0)) {
      throw new NotConvertible("is a SQLite file whose recorded data would be computed, not read");
    }
  }
  return present;
}
