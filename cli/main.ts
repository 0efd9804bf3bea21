import { Command } from "commander";
import { annotationsCommand } from "@/cli/annotations/command";
import { datasetsCommand } from "@/cli/datasets";
import { dbCommand } from "@/cli/db";
import { deliveriesCommand } from "@/cli/deliveries";
import { demoCommand } from "@/cli/demo";
import { downloadCommand } from "@/cli/download";
import { exportsCommand } from "@/cli/exports/command";
import { filesCommand } from "@/cli/files";
import { jobsCommand } from "@/cli/jobs";
import { keysCommand } from "@/cli/keys";
import { listenCommand } from "@/cli/listen";
import { organizationsCommand } from "@/cli/organizations";
import { secretsCommand } from "@/cli/secrets";
import { sqlCommand } from "@/cli/sql";
import { uploadCommand } from "@/cli/upload";
import { usersCommand } from "@/cli/users";
import { describeBuild } from "@/server/platform/installation/build";

const program = new Command("muster")
  .description("Muster's command line. Every command has --help.")
  .option("-V, --version", "print the version of this installation, its commit and its last migration")
  .showHelpAfterError();
program.addCommand(uploadCommand());
program.addCommand(downloadCommand());
program.addCommand(datasetsCommand());
program.addCommand(annotationsCommand());
program.addCommand(exportsCommand());
program.addCommand(sqlCommand());
program.addCommand(keysCommand());
program.addCommand(usersCommand());
program.addCommand(organizationsCommand());
program.addCommand(jobsCommand());
program.addCommand(deliveriesCommand());
program.addCommand(secretsCommand());
program.addCommand(demoCommand());
program.addCommand(dbCommand());
program.addCommand(filesCommand());
program.addCommand(listenCommand());

program.on("option:version", () => {
  process.stdout.write(`${describeBuild()}\n`);
  process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
