import { fileURLToPath } from "node:url";
import { databaseNow } from "@/server/platform/clock";
import { EnvError, applySettings, env } from "@/server/platform/env";
import { logFor, surviveLostOutput } from "@/server/platform/log";
import { logConsole } from "@/server/platform/observability/console-lines";
import { developmentCommands, servesPages } from "@/server/platform/process/development";
import { FatalError, fatalExitCode } from "@/server/platform/process/fatal-error";
import { parseCommandLine, usage, type CommandLine } from "@/server/platform/process/roles";
import { isWebReady, prepareDatabase, supervise } from "@/server/platform/process/supervise";

const self = fileURLToPath(import.meta.url);

/** The command that runs this program in another role, in the way this process runs: bundle by node, sources by tsx. */
const roleCommand = (role: string, ...flags: string[]): [string, ...string[]] => [
  process.execPath,
  ...process.execArgv,
  ...flags,
  self,
  "--role",
  role,
];

/** A response outlives a small young generation: with a large one, collecting costs a fifth less of a web process. */
const webFlags = ["--max-semi-space-size=64"];

/** A worker allocates many short-lived objects: a small young generation is collected sooner and memory stays flat. */
const workerFlags = ["--max-semi-space-size=4"];

const productionCommands = {
  web: roleCommand("web", ...webFlags),
  worker: roleCommand("worker", ...workerFlags),
};

async function runRole({ role, dev }: CommandLine): Promise<void> {
  if (env.NODE_ENV === "production") logConsole();
  if (role === "all") {
    if (dev) await supervise(developmentCommands(self), servesPages);
    else await supervise(productionCommands, isWebReady);
    return;
  }
  if (!process.connected) {
    applySettings({ ROLE: role });
    await prepareDatabase();
  }
  // Imported lazily: each role has large modules that the others need not load.
  if (role === "web") await (await import("@/server/composition/web")).runWeb();
  else await (await import("@/server/composition/worker")).runWorker();
}

/** As text for a person, else as a line of the log; without the settings, which may be what is wrong. */
function explainEnd(message: string): void {
  const line = { level: "fatal", time: databaseNow().toISOString(), pid: process.pid, part: "main", msg: message };
  process.stderr.write(process.stderr.isTTY ? `\n${message}\n\n` : `${JSON.stringify(line)}\n`);
}

function fail(error: unknown): never {
  if (error instanceof EnvError || error instanceof FatalError) {
    explainEnd(error.message);
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
  else await runRole(command);
} catch (error) {
  fail(error);
}
