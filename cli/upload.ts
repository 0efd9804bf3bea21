import { stat } from "node:fs/promises";
import path from "node:path";
import { Command, Option } from "commander";
import { CommandError, getOrigin, type Credential } from "@/cli/client/api-client";
import type { LocalFile } from "@/cli/client/put-file";
import { runTransfer } from "@/cli/client/transfer-command";
import { runUpload, type UploadPlan } from "@/cli/upload-run";
import { getExtension, readCompressions, readFormats } from "@/domain/recordings/file-names";
import { refusalOfPath } from "@/domain/uploads/file-path";

interface UploadOptions {
  device?: string;
  token?: string;
  key?: string;
  url: string;
  name?: string;
  tag: string[];
  wait?: boolean;
  state?: string;
  cwd?: string;
}

/**
 * Returns the named files with their paths in the recording: base names or, if two are equal, below their folder. What a db3
 * file's recorder left in a write-ahead log beside it comes with it.
 */
export async function filesFrom(named: readonly string[], folder: string): Promise<LocalFile[]> {
  const wanted = named.map((name) => path.resolve(folder, name));
  const twice = wanted.find((location, i) => wanted.indexOf(location) !== i);
  if (twice !== undefined) throw new CommandError(`${twice} is named twice.`);
  const locations = await withLogs(wanted);
  const sizes: number[] = [];
  for (const location of locations) {
    const file = await stat(location).catch(() => null);
    if (!file) throw new CommandError(`${location} does not exist or cannot be read.`);
    if (!file.isFile()) throw new CommandError(`${location} is not a file. Name the files themselves.`);
    sizes.push(file.size);
  }
  const names = locations.map((location) => path.basename(location));
  const ambiguous = new Set(names).size < names.length;
  const common = ambiguous ? commonFolder(locations) : "";
  return locations.map((location, i) => {
    const given = ambiguous ? path.relative(common, location).split(path.sep).join("/") : (names[i] ?? location);
    const refusal = refusalOfPath(given);
    if (refusal !== null)
      throw new CommandError(`${JSON.stringify(given)} cannot be uploaded by this name. ${refusal}`);
    return { location, path: given, size: sizes[i] ?? 0 };
  });
}

async function withLogs(locations: readonly string[]): Promise<string[]> {
  const all = new Set<string>();
  for (const location of locations) {
    all.add(location);
    const log = `${location}-wal`;
    const size = getExtension(location) === "db3" ? ((await stat(log).catch(() => null))?.size ?? 0) : 0;
    if (size > 0) all.add(log);
  }
  return [...all];
}

function commonFolder(locations: readonly string[]): string {
  let folder = path.dirname(locations[0] ?? "/");
  while (!locations.every((location) => location.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep))) {
    const above = path.dirname(folder);
    if (above === folder) return folder;
    folder = above;
  }
  return folder;
}

/** A typed option takes precedence over the environment, and a device's token over a user's key. */
function readCredential(options: UploadOptions, typed: (option: "key" | "token") => boolean): Credential {
  const token: Credential | null = options.token ? { header: "x-service-device-token", secret: options.token } : null;
  const key: Credential | null = options.key ? { header: "x-service-api-key", secret: options.key } : null;
  const chosen = typed("key") && !typed("token") ? (key ?? token) : (token ?? key);
  if (!chosen) {
    throw new CommandError(
      "Give a device's token (--token or MUSTER_DEVICE_TOKEN) or an API key (--key or MUSTER_API_KEY).",
    );
  }
  if (chosen === key && options.device === undefined)
    throw new CommandError("With an API key, name the device of the recording: --device UID.");
  return chosen;
}

async function createPlan(named: string[], options: UploadOptions, command: Command): Promise<UploadPlan> {
  const typed = (option: "key" | "token") => command.getOptionValueSource(option) === "cli";
  const folder = options.cwd ?? process.cwd();
  return {
    origin: getOrigin(options.url),
    credential: readCredential(options, typed),
    device: options.device,
    files: await filesFrom(named, folder),
    name: options.name,
    tags: options.tag,
    wait: options.wait ?? false,
    ...(options.state !== undefined && { stateFolder: path.resolve(folder, options.state) }),
  };
}

const upload = (named: string[], options: UploadOptions, command: Command): Promise<void> =>
  runTransfer("The same command resumes where this one stopped.", async (screen) => {
    const plan = await createPlan(named, options, command);
    const { recording, status } = await runUpload(plan, screen);
    process.stderr.write(
      `Uploaded ${plan.files.length === 1 ? "1 file" : `${plan.files.length} files`}; the recording is ${status}.\n`,
    );
    process.stdout.write(`${recording}\n`);
  });

/** `muster upload`: a plain client of the public API, so that a robot can use it. */
export const uploadCommand = (): Command =>
  new Command("upload")
    .description("Upload files as one recording. Run again after an interruption, it resumes where it stopped.")
    .argument("<file...>", `files of one recording: ${readFormats}, also as ${readCompressions}`)
    .option("-d, --device <uid>", "the device that recorded them; implied by a device's token")
    .addOption(new Option("--token <token>", "the device's token").env("MUSTER_DEVICE_TOKEN"))
    .addOption(new Option("--key <key>", "an API key, instead of a device's token").env("MUSTER_API_KEY"))
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"))
    .option("--name <text>", "a name for the recording")
    .option(
      "--tag <tag>",
      "a tag for the recording; may be given several times",
      (tag: string, tags: string[]) => [...tags, tag],
      [],
    )
    .option("--wait", "wait until the recording is processed")
    .option("--state <folder>", "where to record interrupted uploads (default: ~/.local/state/muster/uploads)")
    .addOption(new Option("--cwd <folder>", "the folder that file names start from").env("INIT_CWD").hideHelp())
    .addHelpText(
      "after",
      `
The recording's uid is printed on standard output, everything else on standard error.

  $ MUSTER_DEVICE_TOKEN=svd_… npm run muster -- upload run.mcap --wait
  $ npm run muster -- upload front.bag rear.bag --key svk_… --device dev_… --tag night`,
    )
    .action(upload);
