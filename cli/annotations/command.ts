import { Command, Option } from "commander";
import { type ImportOptions, runImportAnnotations } from "@/cli/annotations/import-run";
import { CommandError } from "@/cli/client/api-client";
import { collect, openClient, withClient, type ClientOptions } from "@/cli/client/client-options";
import { findUid } from "@/cli/client/named-objects";
import { runTransfer } from "@/cli/client/transfer-command";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { runExportCreate } from "@/cli/exports/command";
import { importModes } from "@/domain/annotation-imports/choices";
import { importFormats } from "@/domain/annotation-imports/formats";

interface ExportOptions extends ClientOptions {
  format: string;
  output: string;
  results?: string;
  force?: boolean;
  cwd?: string;
}

/** Exports a project of this name, or else a dataset, and downloads the file. Resolves to its name. */
export async function runExportAnnotations(
  name: string,
  options: ExportOptions,
  screen: TransferScreen,
): Promise<string> {
  const { api } = openClient(options, screen.line);
  const project = await findUid(api, "project", name);
  const dataset = project === null ? await findUid(api, "dataset", name) : null;
  if (project === null && dataset === null)
    throw new CommandError(`There is no project or dataset ${JSON.stringify(name)} that this key may see.`);
  const of = { project: project === null ? [] : [project], dataset: dataset === null ? [] : [dataset], slice: [] };
  return runExportCreate({ ...options, ...of, name }, screen);
}

const importFile = (project: string, file: string, options: ImportOptions): Promise<void> =>
  runTransfer(
    "An import that was started goes on; started again with the same file, it changes nothing twice.",
    async (screen) => {
      process.stdout.write(`${await runImportAnnotations(project, file, options, screen)}\n`);
    },
  );

const exportFile = (name: string, options: ExportOptions): Promise<void> =>
  runTransfer("The export goes on: exports list names it, exports download gets its file.", async (screen) => {
    process.stdout.write(`${await runExportAnnotations(name, options, screen)}\n`);
  });

const withFolder = (command: Command): Command =>
  withClient(command).addOption(
    new Option("--cwd <folder>", "the folder that file names start from").env("INIT_CWD").hideHelp(),
  );

/** `muster annotations`: plain clients of the public API. */
export const annotationsCommand = (): Command =>
  new Command("annotations")
    .description("Bring annotations of a file into a project, and get them out.")
    .addCommand(
      withFolder(new Command("import").description("Import the annotations of a file into a project."))
        .argument("<project>", "the project by name or uid")
        .argument("<file>", "COCO, CVAT, Label Studio, YOLO or Muster's own JSON; several files as a zip")
        .addOption(
          new Option("--format <format>", "the format (default: found out from the file)").choices(importFormats),
        )
        .addOption(new Option("--mode <mode>", "what the annotations become").choices(importModes).default("drafts"))
        .option(
          "--label <file=project>",
          "a label of the file and the project's; nothing after = leaves it out",
          collect,
          [],
        )
        .option("--make-labels", "make the labels that the project does not have")
        .option("--leave-labels", "leave out annotations with labels that the project does not have")
        .option("--scale", "scale annotations of pictures that have another size than their items")
        .option("--check", "only say what is in the file")
        .option("--wait", "wait until the import is finished")
        .option("--report <file>", "wait, and write what was left out to this file, as CSV")
        .addHelpText(
          "after",
          `
Prints the uid of the import on standard output, everything else on standard error. Ends with 1 and the reason when it
fails. Tasks that somebody has begun stay as they are, and the same file again changes nothing.

  $ npm run muster -- annotations import Crossings instances.json --mode accepted --make-labels --wait`,
        )
        .action(importFile),
    )
    .addCommand(
      withFolder(new Command("export").description("Export the annotations of a project or dataset to a file."))
        .argument("<name>", "a project, or else a dataset, by name or uid")
        .requiredOption("--format <format>", "the format of the file, such as COCO or YOLO")
        .requiredOption("-o, --output <file>", "the file to write")
        .option("--results <results>", "accepted: only accepted results; submitted: also those nobody decided yet")
        .option("--force", "replace a file that is there")
        .action(exportFile),
    );
