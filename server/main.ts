import { fileURLToPath } from "node:url";
import { EnvError, applySettings } from "@/server/platform/env";
import { logFor, surviveLostOutput } from "@/server/platform/log";
import { developmentCommands, answersPages } from "@/server/platform/process/development";
import { FatalError, fatalExitCode } from "@/server/platform/process/fatal-error";
import { parseCommandLine, usage, type CommandLine } from "@/server/platform/process/roles";
import { answersReady, prepareDatabase, supervise } from "@/server/platform/process/supervise";

const self = fileURLToPath(import.meta.url);

/** This very program in another role, run as this process is: the bundle by node, the sources by tsx. */
const again = (role: string, ...flags: string[]): [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
  ...flags,
  self,
  "--role",
  role,
];

/**
 * A worker streams through much that is short-lived: with less room for the young it is collected sooner, and memory
 * stays flat.
 */
const workerFlags = ["--max-semi-space-size=4"];

async function playRole({ role, dev }: CommandLine): Promise<void> {
  if (role === "all") {
    if (dev) await supervise(developmentCommands(self), answersPages);
    else await supervise({ web: again("web"), worker: again("worker", ...workerFlags) }, answersReady);
    return;
  }
  if (!process.connected) {
    applySettings({ ROLE: role });
    await prepareDatabase();
  }
  // Loaded only now: each role carries much that the others need not hold in memory.
  if (role === "web") await (await import("@/server/composition/web")).runWeb();
  else await (await import("@/server/composition/worker")).runWorker();
}

function fail(error: unknown): never {
  if (error instanceof EnvError || error instanceof FatalError) {
    process.stderr.write(`\n${error.message}\n\n`);
    process.exit(process.connected ? fatalExitCode : 1);
  }
  logFor("main").fatal({ err: error }, "ended by an error");
  process.exit(1);
}

surviveLostOutput();
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);

try {
  const command = parseCommandLine(process.argv.slice(2));
  if (command.help) process.stdout.write(`${usage}\n`);
  else await playRole(command);
} catch (error) {
  fail(error);
}
