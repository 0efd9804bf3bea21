import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import { CommandError, listRows, type ApiClient } from "@/cli/client/api-client";
import { collect, openClient, withClient, type ClientOptions, type Connection } from "@/cli/client/client-options";
import { downloadTargets } from "@/cli/client/download-run";
import { parseLimit } from "@/cli/client/input";
import { findUids } from "@/cli/client/named-objects";
import { printTable, toCell } from "@/cli/client/table";
import { runTransfer } from "@/cli/client/transfer-command";
import { formatSize, type TransferScreen } from "@/cli/client/transfer-screen";
import type { ExportResource } from "@/server/features/exports/resource";

interface FileOptions extends ClientOptions {
  force?: boolean;
  cwd?: string;
}

export interface CreateOptions extends FileOptions {
  name?: string;
  dataset: string[];
  slice: string[];
  project: string[];
  format: string;
  results?: string;
  filter?: string;
  split?: string;
  background?: boolean;
  storageConfig?: string;
  wait?: boolean;
  output?: string;
}

interface ListOptions extends ClientOptions {
  status?: string;
  search?: string;
  limit: string;
  json?: boolean;
}

/** What an export is ordered with: sources by uid, name or address, and what the API takes as it is. */
interface ExportOrder {
  name: string;
  datasets: readonly string[];
  slices: readonly string[];
  projects: readonly string[];
  given: Readonly<Record<string, unknown>>;
}

/** Where the file of an export goes. */
interface ExportFile {
  /** An absolute path. */
  to: string;
  /** Replaces a file that is there. */
  force: boolean;
}

/** Requests an export. */
async function orderExport(api: ApiClient, order: ExportOrder): Promise<ExportResource> {
  const { name, datasets, slices, projects, given } = order;
  return api.call<ExportResource>("POST", "/exports/", "Creating the export", {
    ...given,
    name,
    datasets: await findUids(api, "dataset", datasets),
    slices: await findUids(api, "slice", slices),
    projects: await findUids(api, "project", projects),
  });
}

const readExport = (api: ApiClient, uid: string): Promise<ExportResource> =>
  api.call<ExportResource>("GET", `/exports/${encodeURIComponent(uid)}/`, "Reading the export");

const items = (count: number): string => `${count.toLocaleString("en")} items`;

/** Waits until an export is finished. Throws a CommandError with its reason when it fails, and when it is aborted. */
async function waitForExport(
  api: ApiClient,
  uid: string,
  screen: TransferScreen,
  pollMs = 1_000,
): Promise<ExportResource> {
  let shown = false;
  try {
    for (;;) {
      const found = await readExport(api, uid);
      const { status, total_task_count: total, exported_task_count: done, error_message: reason } = found;
      if (total !== null) {
        if (!shown) screen.begin(total, 0, items);
        shown = true;
        screen.progress(done ?? 0);
      }
      if (status === "exported") return found;
      if (status === "failed") throw new CommandError(`The export failed: ${reason ?? "no reason was given."}`);
      if (status === "aborted") throw new CommandError("The export was aborted.");
      await sleep(pollMs);
    }
  } finally {
    if (shown) screen.end();
  }
}

/** Downloads the file of an export, and resumes where an interrupted download stopped. */
async function fetchExport(
  { retryPolicy }: Connection,
  found: ExportResource,
  { to, force }: ExportFile,
  screen: TransferScreen,
): Promise<void> {
  const { status, download_url: url, size_bytes: bytes, sha256, error_message: reason } = found;
  if (url === null) {
    if (status === "exported") throw new CommandError("The file of this export can no longer be downloaded.");
    throw new CommandError(`The export is ${status}${reason === null ? "" : `: ${reason}`}.`);
  }
  if ((await stat(to).catch(() => null))?.isDirectory()) throw new CommandError(`${to} is a folder. Name a file.`);
  const size = Number(bytes);
  await downloadTargets([{ url, known: { size, etag: null, sha256 }, expected: size, to }], force, retryPolicy, screen);
}

const toFile = ({ output, force, cwd }: FileOptions & { output: string }): ExportFile => ({
  to: path.resolve(cwd ?? process.cwd(), output),
  force: force ?? false,
});

/** `0.7,0.2,0.1` as shares of train, val and test. */
export function parseSplit(text: string): { train?: number; val?: number; test?: number } {
  const [train, val, test, ...more] = text
    .split(",")
    .map((share) => (share.trim() === "" ? Number.NaN : Number(share)));
  if (more.length > 0 || [train, val ?? 0, test ?? 0].some((share) => !Number.isFinite(share)))
    throw new CommandError("--split takes the shares of train, val and test, such as 0.7,0.2,0.1.");
  return {
    ...(train !== undefined && { train }),
    ...(val !== undefined && { val }),
    ...(test !== undefined && { test }),
  };
}

/** Options that the API takes as they are; it says what is wrong with them. */
const toInput = ({ format, results, filter, split, background, storageConfig }: CreateOptions) => ({
  format,
  ...(results !== undefined && { results }),
  ...(filter !== undefined && { filter_query_string: filter }),
  ...(split !== undefined && { split: parseSplit(split) }),
  ...(background && { background }),
  ...(storageConfig !== undefined && { storage_config_uid: storageConfig }),
});

/** Requests an export. With `output` it waits and downloads the file. Returns what to print: the file, else the uid. */
export async function runExportCreate(options: CreateOptions, screen: TransferScreen): Promise<string> {
  const { dataset: datasets, slice: slices, project: projects, output } = options;
  const [first] = [...datasets, ...slices, ...projects];
  if (first === undefined) throw new CommandError("Say what to export: --dataset, --slice or --project.");
  const connection = openClient(options, screen.line);
  const { api } = connection;
  const order = { name: options.name ?? first, datasets, slices, projects, given: toInput(options) };
  const { uid } = await orderExport(api, order);
  screen.line(`The export ${uid} is requested.`);
  if (!options.wait && output === undefined) return uid;
  const done = await waitForExport(api, uid, screen);
  if (output === undefined) return uid;
  const file = toFile({ ...options, output });
  await fetchExport(connection, done, file, screen);
  return file.to;
}

/** Downloads the file of an export. Returns where it is. */
export async function runExportDownload(
  uid: string,
  options: FileOptions & { output: string },
  screen: TransferScreen,
): Promise<string> {
  const connection = openClient(options, screen.line);
  const file = toFile(options);
  await fetchExport(connection, await readExport(connection.api, uid), file, screen);
  return file.to;
}

const create = (options: CreateOptions): Promise<void> =>
  runTransfer("The export goes on: exports list names it, exports download gets its file.", async (screen) => {
    process.stdout.write(`${await runExportCreate(options, screen)}\n`);
  });

const download = (uid: string, options: FileOptions & { output: string }): Promise<void> =>
  runTransfer("The same command resumes where this one stopped.", async (screen) => {
    process.stdout.write(`${await runExportDownload(uid, options, screen)}\n`);
  });

const toRow = (each: ExportResource): string[] => [
  each.uid,
  each.status,
  each.format,
  each.exported_task_count === null ? "" : `${each.exported_task_count} of ${each.total_task_count ?? "?"}`,
  each.status === "exported" ? formatSize(Number(each.size_bytes)) : "",
  each.created_at.slice(0, 16).replace("T", " "),
  toCell(each.error_message === null ? each.name : `${each.name}: ${each.error_message}`),
];

/** Prints the newest exports. */
export async function runExportList({ status, search, json, ...options }: ListOptions): Promise<void> {
  const { api } = openClient(options, (line) => console.error(line));
  const limit = parseLimit(options.limit);
  const exports: ExportResource[] = [];
  const query = {
    limit: String(Math.min(limit, 100)),
    ...(status !== undefined && { status }),
    ...(search !== undefined && { search }),
  };
  for await (const each of listRows<ExportResource>(api, "/exports/", query, "Listing the exports")) {
    exports.push(each);
    if (exports.length >= limit) break;
  }
  if (json) console.log(JSON.stringify(exports, null, 2));
  else printTable(["uid", "status", "format", "items", "size", "created", "name"], exports.map(toRow));
}

const withFile = (command: Command): Command =>
  withClient(command)
    .option("--force", "replace a file that is there")
    .addOption(new Option("--cwd <folder>", "the folder that file names start from").env("INIT_CWD").hideHelp());

/** `muster exports`: plain clients of the public API. */
export const exportsCommand = (): Command =>
  new Command("exports")
    .description("Create exports, wait for them and download their files.")
    .addCommand(
      withFile(new Command("create").description("Create an export; with -o, wait for it and download its file."))
        .requiredOption("--format <format>", "the format of the file, such as avala-json-external or YOLO")
        .option("-d, --dataset <dataset>", "a dataset by name, uid or address; may be given several times", collect, [])
        .option("--slice <slice>", "a slice; may be given several times", collect, [])
        .option("--project <project>", "a project; may be given several times", collect, [])
        .option("--name <text>", "the name of the export (default: that of its first source)")
        .option("--results <results>", "accepted: only accepted results; submitted: also those nobody decided yet")
        .option("--filter <filter>", "only items that match this filter")
        .option("--split <shares>", "of YOLO: the shares of train, val and test, such as 0.7,0.2,0.1")
        .option("--background", "of YOLO: also pictures without a label")
        .option("--storage-config <uid>", "keep the file in the bucket of this storage configuration")
        .option("--wait", "wait until the export is finished")
        .option("-o, --output <file>", "wait, and download it to this file")
        .addHelpText(
          "after",
          `
Prints the uid of the export on standard output, or with -o the name of its file; everything else on standard error. Ends
with 1 and the reason when the export fails.

  $ npm run muster -- exports create --project Crossings --format YOLO --results accepted -o crossings.zip
  $ npm run muster -- exports create --dataset crossings --format avala-json-external --wait`,
        )
        .action(create),
    )
    .addCommand(
      withFile(new Command("download").description("Download the file of an export, and resume after an interruption."))
        .argument("<export>", "the uid of the export")
        .requiredOption("-o, --output <file>", "the file to write")
        .action(download),
    )
    .addCommand(
      withClient(new Command("list").description("List exports, the newest first."))
        .option("--status <status>", "only those: requested, exporting, exported, failed or aborted")
        .option("--search <text>", "only those with this in their names")
        .option("--limit <count>", "at most so many", "50")
        .option("--json", "print JSON")
        .action(runExportList),
    );
