// What a query over signals may contain. DuckDB itself refuses files and settings; this refuses before it runs what is
// no single SELECT over topics, and says so in words.

const tableFunctions = new Set(["range", "generate_series", "unnest", "repeat", "repeat_row"]);
const refusedFunctions = new Set([
  "getenv",
  "getvariable",
  "current_setting",
  "current_query",
  "in_search_path",
  "nextval",
  "currval",
  "txid_current",
  "write_log",
  "parse_duckdb_log_message",
  "add_parquet_key",
  "sleep_ms",
]);
const shows = new Set(["DESCRIBE", "SUMMARY"]);

/**
 * Checks DuckDB's own description of a query (`json_serialize_sql`). Returns the tables it names, or throws an Error
 * whose message is for the person who asked.
 */
export function checkQuery({ error, error_message: reason, position, statements }, sql) {
  if (error === true) {
    const place = position === undefined ? "" : showPlace(sql, Number(position));
    throw new Error(/only select/i.test(reason) ? "Only one SELECT statement is allowed." : `${reason}${place}`);
  }
  if (statements.length !== 1) throw new Error("Only one SELECT statement is allowed.");
  const tables = new Set();
  const own = new Set();
  visit(statements[0], (node) => {
    // The names of WITH.
    if (node.cte_map) for (const { key } of node.cte_map.map ?? []) own.add(key.toLowerCase());
    if (typeof node.cte_name === "string") own.add(node.cte_name.toLowerCase());
    if (node.type === "BASE_TABLE") {
      if (node.schema_name || node.catalog_name) throw new Error("Tables are topics, without a schema or a database.");
      tables.add(node.table_name);
    } else if (node.type === "TABLE_FUNCTION") {
      const name = node.function?.function_name ?? "";
      if (!tableFunctions.has(name)) throw new Error(`The function ${name} cannot be used as a table.`);
    } else if (node.type === "SHOW_REF" && !(shows.has(node.show_type) && node.query)) {
      throw new Error("Only DESCRIBE and SUMMARIZE of a topic are allowed.");
    } else if (node.class === "FUNCTION" && refusedFunctions.has(node.function_name)) {
      throw new Error(`The function ${node.function_name} cannot be used.`);
    }
  });
  return [...tables].filter((name) => !own.has(name.toLowerCase()));
}

/** The line of a mistake with a mark below it, as DuckDB writes both for a query that it runs. `position`: in code points. */
function showPlace(sql, position) {
  const before = [...sql].slice(0, position).join("").split("\n");
  const at = before.at(-1) ?? "";
  const head = `LINE ${before.length}: `;
  const line = sql.split("\n")[before.length - 1] ?? "";
  return `\n\n${head}${line}\n${" ".repeat(head.length + at.length)}^`;
}

function visit(value, see) {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  else {
    see(value);
    for (const each of Object.values(value)) visit(each, see);
  }
}
