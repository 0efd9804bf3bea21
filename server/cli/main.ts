import { Command } from "commander";
import { dbCommand } from "@/server/cli/db";
import { demoCommand } from "@/server/cli/demo";
import { keysCommand } from "@/server/cli/keys";
import { listenCommand } from "@/server/cli/listen";
import { uploadCommand } from "@/server/cli/upload";
import { usersCommand } from "@/server/cli/users";

const program = new Command("muster")
  .description("Muster's command line. Every command has --help.")
  .showHelpAfterError();
program.addCommand(uploadCommand());
program.addCommand(keysCommand());
program.addCommand(usersCommand());
program.addCommand(demoCommand());
program.addCommand(dbCommand());
program.addCommand(listenCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
