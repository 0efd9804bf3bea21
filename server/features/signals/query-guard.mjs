// What a query over signals may contain. DuckDB itself refuses files; this refuses before it runs what is no single
// SELECT over topics, and says so in words.
import { queryFunctions, queryTableFunctions } from "./query-functions.mjs";

const shows = new Set(["DESCRIBE", "SUMMARY"]);

/**
 * Checks DuckDB's own description of a query (`json_serialize_sql`). Returns the tables it names, or throws an Error
 * whose message is for the person who asked. That of a function has its name as `functionName`, and its `place` in words.
 */
export function checkQuery({ error, error_message: reason, position, statements }, sql) {
  if (error === true) {
    const place = position === undefined ? "" : showPlace(sql, [...sql].slice(0, Number(position)).join(""));
    throw new Error(/only select/i.test(reason) ? "Only one SELECT statement is allowed." : `${reason}${place}`);
  }
  if (statements.length !== 1) throw new Error("Only one SELECT statement is allowed.");
  const tables = new Set();
  visit(statements[0], new Set(), (node, own) => {
    if (node.type === "BASE_TABLE") {
      if (node.schema_name || node.catalog_name) throw new Error("Tables are topics, without a schema or a database.");
      if (!own.has(fold(node.table_name))) tables.add(node.table_name);
    } else if (node.type === "TABLE_FUNCTION") {
      const name = node.function?.function_name ?? "";
      if (!queryTableFunctions.has(fold(name))) throw new Error(`The function ${name} cannot be used as a table.`);
    } else if (node.type === "SHOW_REF" && !(shows.has(node.show_type) && node.query)) {
      throw new Error("Only DESCRIBE and SUMMARIZE of a topic are allowed.");
    } else if (typeof node.function_name === "string" && !isAllowed(fold(node.function_name))) {
      throw refuseFunction(node, sql);
    }
  });
  return [...tables];
}

// Both stand in a description as functions; DuckDB refuses those of tables elsewhere.
const isAllowed = (name) => queryFunctions.has(name) || queryTableFunctions.has(name);

function refuseFunction({ function_name: functionName, query_location: location }, sql) {
  const before = Buffer.from(sql).subarray(0, Number(location ?? Number.NaN));
  const place = location === undefined ? "" : showPlace(sql, before.toString());
  return Object.assign(new Error(`The function ${functionName} cannot be used.${place}`), { functionName, place });
}

/** The line of a mistake with a mark below it, as DuckDB writes both for a query that it runs. `before`: the text up to it. */
function showPlace(sql, before) {
  const lines = before.split("\n");
  const head = `LINE ${lines.length}: `;
  const line = sql.split("\n")[lines.length - 1] ?? "";
  return `\n\n${head}${line}\n${" ".repeat(head.length + [...(lines.at(-1) ?? "")].length)}^`;
}

/** A name as DuckDB compares it: only the letters of ASCII are alike in upper and lower case. */
const fold = (name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Calls `see` with every node and with the names of WITH that hold where it stands: in the statement that follows WITH, in
 * the later ones of its list, and in a recursive one itself.
 */
function visit(value, own, see) {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) return value.forEach((each) => visit(each, own, see));
  const { cte_map: list, ...rest } = value;
  let names = own;
  for (const { key, value: cte } of list?.map ?? []) {
    visit(cte, names, see);
    names = new Set([...names, fold(key)]);
  }
  see(value, names);
  for (const [member, each] of Object.entries(rest)) {
    const isRecursive = value.type === "RECURSIVE_CTE_NODE" && member === "right";
    visit(each, isRecursive ? new Set([...names, fold(value.cte_name)]) : names, see);
  }
}
