import path from "node:path";
import { Command, Option } from "commander";
import { openClient, withClient, type ClientOptions } from "@/cli/client/client-options";
import { listDatasets } from "@/cli/client/named-objects";
import { printTable, toCell } from "@/cli/client/table";
import { runTransfer } from "@/cli/client/transfer-command";
import { formatSize } from "@/cli/client/transfer-screen";
import { runDatasetUpload, type UploadedDataset } from "@/cli/dataset-upload-run";
import { dataTypes } from "@/domain/datasets/schema";
import type { DatasetResource } from "@/server/features/datasets/resource";

interface UploadOptions extends ClientOptions {
  dataset?: string;
  create?: boolean;
  type?: string;
  metadata?: string;
  wait: boolean;
  state?: string;
  cwd?: string;
}

interface ListOptions extends ClientOptions {
  search?: string;
  json?: boolean;
}

const counted = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "file" : "files"}`;

/** What became of the files, in a sentence. */
export function summarize({ uploaded, present, refused }: Omit<UploadedDataset, "dataset">): string {
  const parts = [`Uploaded ${counted(uploaded)}`];
  if (present > 0) parts.push(`${counted(present)} ${present === 1 ? "was" : "were"} in the dataset already`);
  if (refused > 0) parts.push(`${counted(refused)} ${refused === 1 ? "is no item" : "are no items"}, named above`);
  return `${parts.join("; ")}.`;
}

const upload = (named: string, options: UploadOptions): Promise<void> =>
  runTransfer("The same command resumes where this one stopped.", async (screen) => {
    const cwd = options.cwd ?? process.cwd();
    const folder = path.resolve(cwd, named);
    const result = await runDatasetUpload(
      {
        url: options.url,
        ...(options.key !== undefined && { key: options.key }),
        folder,
        dataset: options.dataset ?? path.basename(folder),
        create: options.create ?? false,
        ...(options.type !== undefined && { type: options.type }),
        ...(options.metadata !== undefined && { metadata: path.resolve(cwd, options.metadata) }),
        wait: options.wait,
        ...(options.state !== undefined && { stateFolder: path.resolve(cwd, options.state) }),
      },
      screen,
    );
    screen.line(summarize(result));
    process.stdout.write(`${result.dataset}\n`);
    if (result.refused > 0) process.exitCode = 1;
  });

const toRow = (dataset: DatasetResource): string[] => [
  dataset.uid,
  `${dataset.owner_name}/${dataset.slug}`,
  dataset.data_type,
  String(dataset.item_count),
  formatSize(Number(dataset.size_bytes)),
  toCell(dataset.name),
];

/** Prints the datasets that the key may see. */
export async function runDatasetList(options: ListOptions): Promise<void> {
  const { api } = openClient(options, (line) => console.error(line));
  const datasets: DatasetResource[] = [];
  for await (const dataset of listDatasets(api, options.search)) datasets.push(dataset);
  if (options.json) console.log(JSON.stringify(datasets, null, 2));
  else printTable(["uid", "address", "type", "items", "size", "name"], datasets.map(toRow));
}

/** `muster datasets`: plain clients of the public API. */
export const datasetsCommand = (): Command =>
  new Command("datasets")
    .description("Upload files to datasets, and list them.")
    .addCommand(
      withClient(
        new Command("upload")
          .description("Upload the files below a folder to a dataset. Run again, it sends what is missing.")
          .argument("<folder>", "JPEG, PNG, WebP, MP4, MOV, PCD, PLY, MCAP or ROS bags; hidden files are left out"),
      )
        .option("-d, --dataset <dataset>", "its name, uid or address (default: the name of the folder)")
        .option("--create", "make the dataset if there is none of this name")
        .addOption(new Option("--type <type>", "of a dataset that is made; image without it").choices(dataTypes))
        .option("--metadata <file>", 'lines such as {"key": "front/1.png", "metadata": {"weather": "rain"}}')
        .option("--no-wait", "do not wait until the files are read, which finds those that cannot be items")
        .option("--state <folder>", "where to record interrupted uploads (default: ~/.local/state/muster/uploads)")
        .addOption(new Option("--cwd <folder>", "the folder that file names start from").env("INIT_CWD").hideHelp())
        .addHelpText(
          "after",
          `
An item is named by the file's path from the folder. Files that the dataset has already are left alone, also their metadata.
The dataset's uid is printed on standard output, everything else on standard error. Ends with 1 when a file was refused.

  $ npm run muster -- datasets upload crossings --create --key svk_…
  $ npm run muster -- datasets upload frames --dataset "Yard crossings" --metadata frames.jsonl`,
        )
        .action(upload),
    )
    .addCommand(
      withClient(new Command("list").description("List the datasets, the newest first."))
        .option("--search <text>", "only those with this in their names")
        .option("--json", "print JSON")
        .action(runDatasetList),
    );
