import { Command } from "commander";
import { uploadCommand } from "@/server/cli/upload";

const program = new Command("muster").description("Muster's command line. Every command has --help.").showHelpAfterError();
program.addCommand(uploadCommand());

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
