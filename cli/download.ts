import path from "node:path";
import { Command, Option } from "commander";
import { CommandError, getOrigin } from "@/cli/client/api-client";
import { runDownload } from "@/cli/client/download-run";
import { runTransfer } from "@/cli/client/transfer-command";
import { cutFormats } from "@/domain/cuts/schema";

interface DownloadOptions {
  key?: string;
  url: string;
  from?: string;
  to?: string;
  topics?: string[];
  format?: string;
  output?: string;
  force?: boolean;
  cwd?: string;
}

const download = (recording: string, options: DownloadOptions): Promise<void> =>
  runTransfer("The same command resumes files where this one stopped; ranges begin anew.", async (screen) => {
    if (options.key === undefined) throw new CommandError("Give an API key: --key or MUSTER_API_KEY.");
    const written = await runDownload(
      {
        origin: getOrigin(options.url),
        credential: { header: "x-service-api-key", secret: options.key },
        recording,
        from: options.from,
        to: options.to,
        topics: options.topics?.flatMap((list) => list.split(",")).filter((topic) => topic.trim() !== ""),
        format: options.format,
        output: options.output,
        folder: path.resolve(options.cwd ?? process.cwd()),
        force: options.force ?? false,
      },
      screen,
    );
    for (const file of written) process.stdout.write(`${file}\n`);
  });

/** `muster download`: the files of a recording, or a range of it. */
export const downloadCommand = (): Command =>
  new Command("download")
    .description("Download the files of a recording, or a range of it as MCAP, CSV or pictures.")
    .argument("<recording>", "the recording's uid")
    .addOption(new Option("--key <key>", "an API key").env("MUSTER_API_KEY"))
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"))
    .option("--from <time>", "start of the range: ISO 8601, or nanoseconds since 1970")
    .option("--to <time>", "its end, included")
    .option("--topics <topics...>", "only these topics: a comma list, or several")
    .addOption(new Option("--format <format>", "what to save the range as; mcap without it").choices(cutFormats))
    .option("-o, --output <file>", "the file, or a folder (default: the recording's name in this folder)")
    .option("--force", "replace files that are there")
    .addOption(new Option("--cwd <folder>", "the folder that file names start from").env("INIT_CWD").hideHelp())
    .addHelpText(
      "after",
      `
The names of the files are printed on standard output, everything else on standard error. Without a range, topics and
format the files are downloaded as they were uploaded, and the same command resumes after an interruption.

  $ npm run muster -- download rec_0199c0de-7a11-7000-8000-000000000001
  $ npm run muster -- download rec_… --from 2026-01-02T03:04:05Z --to 2026-01-02T03:05:05Z -o cut.mcap && rerun cut.mcap`,
    )
    .action(download);
