import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { readParquet, WriterPropertiesBuilder, writeParquet } from "parquet-wasm";

/** Rows of a Parquet file as hyparquet reads them. */
export const readWithHyparquet = (file: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: Uint8Array.from(file).buffer, compressors });

/** A Parquet file as parquet-wasm reads and writes it again, without compression. */
export const rewriteWithParquetWasm = (file: Uint8Array): Uint8Array =>
  writeParquet(readParquet(file), new WriterPropertiesBuilder().build());

/** Runs a query of DuckDB with `$file` standing for the file; resolves to its rows. */
export async function queryWithDuckDb(file: Uint8Array, sql: string): Promise<Record<string, DuckDBValue>[]> {
  const folder = mkdtempSync(path.join(tmpdir(), "muster-parquet-"));
  try {
    const name = path.join(folder, "file.parquet");
    writeFileSync(name, file);
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(sql.replaceAll("$file", `read_parquet('${name}')`));
    const rows = reader.getRowObjects();
    connection.closeSync();
    instance.closeSync();
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
