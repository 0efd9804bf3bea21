import { text as streamText } from "node:stream/consumers";
import { Command, Option } from "commander";
import { ApiClient, CommandError, RetryPolicy } from "@/cli/client/api-client";
import { parseLimit } from "@/cli/client/input";
import { printTable, toCell } from "@/cli/client/table";
import { csvText } from "@/domain/csv";
import type { SignalsResult } from "@/server/features/signals/resource";

type Format = "table" | "csv" | "json";

export interface SqlOptions {
  url: string;
  key?: string;
  recording?: string[];
  device?: string[];
  since?: string;
  until?: string;
  limit: string;
  format: Format;
}

const toText = (value: unknown): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

function printRows({ columns, rows }: SignalsResult, format: Format): void {
  const names = columns.map(({ name }) => name);
  if (format === "table") {
    printTable(
      names.map(toCell),
      rows.map((row) => row.map((value) => toCell(toText(value)))),
    );
  } else for (const row of [names, ...rows]) console.log(row.map((value) => csvText(toText(value))).join(","));
}

/** Asks a running Muster, and prints the rows; what else there is to know goes to standard error. */
export async function runSql(sql: string, options: SqlOptions): Promise<void> {
  const { url, key, recording, device, since, until, format } = options;
  if (key === undefined) throw new CommandError("Give an API key: --key or MUSTER_API_KEY.");
  if (!URL.canParse(url)) throw new CommandError(`${url} is no address. Give one such as http://127.0.0.1:3000.`);
  const print = (line: string) => console.error(line);
  const api = new ApiClient(
    new URL(url).origin,
    { header: "x-service-api-key", secret: key },
    () => new RetryPolicy(5, 1_000, print),
  );
  const result = await api.call<SignalsResult>("POST", "/fleet/signals/query/", "Querying", {
    sql,
    recordings: recording,
    device_ids: device,
    since,
    until,
    limit: parseLimit(options.limit),
  });
  if (format === "json") return console.log(JSON.stringify(result, null, 2));
  printRows(result, format);
  for (const { recording_id: uid, topic, reason } of result.skipped) print(`Left out ${uid} of ${topic}: ${reason}`);
  const { row_count: rows, truncated, recordings, bytes_read: bytes, elapsed_ms: elapsed } = result;
  const megabytes = `${(bytes / 1e6).toFixed(1)} MB`;
  const of = `${recordings} ${recordings === 1 ? "recording" : "recordings"}, ${megabytes}`;
  print(`${rows}${truncated ? " rows, and there are more" : rows === 1 ? " row" : " rows"}; ${of}, ${elapsed} ms`);
}

export const sqlCommand = (): Command =>
  new Command("sql")
    .description("Run one SELECT over the signals of recordings. Each topic is a table of its name.")
    .argument("[query]", "the SELECT; read from standard input without it")
    .addOption(new Option("--key <key>", "an API key").env("MUSTER_API_KEY"))
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"))
    .option("-r, --recording <uids...>", "only these recordings")
    .option("-d, --device <uids...>", "only recordings of these devices")
    .option("--since <time>", "only recordings that end then or later")
    .option("--until <time>", "only recordings that begin before")
    .option("--limit <count>", "at most so many rows", "10000")
    .addOption(new Option("--format <format>", "how to print").choices(["table", "csv", "json"]).default("table"))
    .addHelpText(
      "after",
      `
Example:
  $ npm run muster -- sql 'select device_name, max("temperature") from "/motor/state" group by all' --since 2026-01-01T00:00:00Z`,
    )
    .action(async (query: string | undefined, options: SqlOptions) => {
      await runSql(query ?? (await streamText(process.stdin)), options);
    });
