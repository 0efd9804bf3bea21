// Runs one query over signals in a process of its own, with an empty environment, and ends. Plain JavaScript, because it
// is started without a compiler. The parent sends `{ sql, limits }` and gets `{ tables }`; sends `{ views, folder,
// memoryMb }`, when the files' footers are there, and gets `{ reads }`, the columns that have to be there; sends `{}` and
// gets `{ columns, rows, truncated }`. Or it gets `{ error }` for the person who asked, `{ unavailable }` without DuckDB.
import { checkQuery } from "./query-guard.mjs";
import { planColumns } from "./query-plan.mjs";

const received = [];
let wake = () => {};
process.on("message", (message) => {
  received.push(message);
  wake();
});
// Without its parent, nobody waits for the answer.
process.on("disconnect", () => process.exit(0));

async function next() {
  while (received.length === 0) await new Promise((resolve) => (wake = resolve));
  return received.shift();
}

const send = (message) => new Promise((resolve) => process.send(message, resolve));

/** A value for JSON: integers beyond 2^53, decimals and times as text, NaN and infinities by their names. */
function toWire(value, type, convert) {
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean" || typeof value === "string") return value;
  return convert(value, type, convert);
}

/** The tables that a query names. Throws what keeps it from running; for a function that does not exist, DuckDB's words. */
async function check(connection, description, sql) {
  try {
    return checkQuery(description, sql);
  } catch (error) {
    if (error.functionName === undefined) throw error;
    const call = `select "${error.functionName.replaceAll('"', '""')}"()`;
    const answer = await connection.prepare(call).catch((reason) => String(reason?.message ?? reason));
    if (typeof answer !== "string" || !answer.startsWith("Catalog Error")) throw error;
    throw new Error(`${answer.replace(/\n\nLINE .*/s, "")}${error.place}`);
  }
}

/** The folder of the files, which is no part of what a person is answered. */
let ownFolder = "";

async function run(duckdb) {
  const { sql, limits } = await next();
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    threads: "2",
    memory_limit: `${limits.memoryMb}MB`,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    temp_directory: "",
    allow_persistent_secrets: "false",
    // What it read of a file before all its columns were there.
    enable_external_file_cache: "false",
  });
  const connection = await instance.connect();
  const described = await connection.runAndReadAll("select json_serialize_sql($1::varchar)::varchar", [sql]);
  await send({ tables: await check(connection, JSON.parse(String(described.getRows()[0][0])), sql) });

  const { views, folder, memoryMb } = await next();
  ownFolder = `${folder}/`;
  await connection.run(`set memory_limit = '${memoryMb}MB'`);
  await connection.run(`set allowed_directories = ['${folder.replaceAll("'", "''")}/']`);
  for (const view of views) await connection.run(view);
  await connection.run("set enable_external_access = false");
  await send({ reads: await planColumns(connection, sql) });
  await next();
  await connection.run("set lock_configuration = true");
  const result = await connection.stream(sql);
  const columns = result.columnNames().map((name, at) => ({ name, type: String(result.columnType(at)) }));
  const types = columns.map((_, at) => result.columnType(at));
  const rows = [];
  let size = 0;
  let truncated = false;
  read: for (;;) {
    const chunk = await result.fetchChunk();
    if (!chunk || chunk.rowCount === 0) break;
    for (const row of chunk.getRows()) {
      const values = row.map((value, at) => toWire(value, types[at], duckdb.JsonDuckDBValueConverter));
      size += JSON.stringify(values).length;
      if (rows.length === limits.rows || size > limits.bytes) {
        truncated = true;
        break read;
      }
      rows.push(values);
    }
  }
  await send({ columns, rows, truncated });
}

let duckdb = null;
try {
  duckdb = await import("@duckdb/node-api");
} catch (error) {
  await send({ unavailable: String(error?.message ?? error) });
}
if (duckdb) {
  try {
    await run(duckdb);
  } catch (error) {
    const message = String(error?.message ?? error);
    await send({ error: ownFolder ? message.replaceAll(ownFolder, "") : message });
  }
}
process.exit(0);
