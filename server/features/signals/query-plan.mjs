// Which columns of its files a query reads, by DuckDB's own plan of it.

/** Every column is in the plan when conditions stay where they stand: those that a scan applies are no part of its list. */
const planned = "filter_pushdown";

/**
 * The names of the columns that a query reads of all its files together; null where the plan does not say. Throws
 * DuckDB's error for a query that cannot run.
 */
export async function planColumns(connection, sql) {
  await connection.run(`set disabled_optimizers = '${planned}'`);
  try {
    const plan = await connection.runAndReadAll(`explain (format json) ${sql}`);
    return readColumns(JSON.parse(String(plan.getRows()[0][1])));
  } catch {
    // The same error, with the places of what was asked.
    await connection.prepare(sql);
    return null;
  } finally {
    await connection.run("reset disabled_optimizers");
  }
}

function readColumns(plan) {
  const columns = new Set();
  let isKnown = true;
  const visit = ({ name, children, extra_info: info }) => {
    if (name === "READ_PARQUET" || info?.Function === "READ_PARQUET") {
      const names = info?.Projections;
      if (typeof names !== "string" && !Array.isArray(names)) isKnown = false;
      for (const each of [names].flat()) if (each) columns.add(each);
    }
    for (const child of children ?? []) visit(child);
  };
  for (const root of plan) visit(root);
  return isKnown ? [...columns] : null;
}
