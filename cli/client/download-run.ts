import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { ApiClient, CommandError, RetryPolicy, type Credential } from "@/cli/client/api-client";
import { fetchFile, isThere, type RemoteFile } from "@/cli/client/fetch-file";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import type { RecordingCut } from "@/server/features/cuts/resource";
import type { RecordingFile } from "@/server/features/recordings/resource";

export interface DownloadPlan {
  origin: string;
  credential: Credential;
  recording: string;
  /** What to cut out; all undefined for the files as they were uploaded. */
  from: string | undefined;
  to: string | undefined;
  topics: readonly string[] | undefined;
  format: string | undefined;
  /** A file, or a folder; default: the name of the recording in the folder that the command is called in. */
  output: string | undefined;
  folder: string;
  /** Replaces files that are there. */
  force: boolean;
  /** First pause after a failure, in milliseconds. */
  backoffMs?: number;
}

/** A file to download, and where it goes. */
export interface Target extends RemoteFile {
  to: string;
  /** About how many bytes it has. */
  expected: number;
}

const maxFailures = 9;
/** Failures after which a cut, which begins anew each time, is given up. */
const maxCutFailures = 3;

const isFolder = async (name: string): Promise<boolean> => (await stat(name).catch(() => null))?.isDirectory() ?? false;
const exists = async (name: string): Promise<boolean> => (await stat(name).catch(() => null)) !== null;

/** The link to a cut and where it goes. */
async function planCut(api: ApiClient, plan: DownloadPlan): Promise<Target[]> {
  const query = new URLSearchParams();
  for (const name of ["from", "to", "format"] as const) if (plan[name] !== undefined) query.set(name, plan[name]);
  if (plan.topics !== undefined) query.set("topics", plan.topics.join(","));
  const at = `/fleet/recordings/${encodeURIComponent(plan.recording)}/cut/?${query}`;
  const cut = await api.call<RecordingCut>("GET", at, "Cutting the recording");
  return [
    {
      url: cut.download_url,
      known: null,
      expected: cut.estimated_bytes,
      to: await place(plan, cut.file_name),
    },
  ];
}

async function place({ output, folder }: DownloadPlan, name: string): Promise<string> {
  if (output === undefined) return path.join(folder, name);
  const at = path.resolve(folder, output);
  return /[\\/]$/.test(output) || (await isFolder(at)) ? path.join(at, name) : at;
}

/** The files as they were uploaded; several go into a folder. */
async function planFiles(api: ApiClient, plan: DownloadPlan): Promise<Target[]> {
  const at = `/fleet/recordings/${encodeURIComponent(plan.recording)}/files/`;
  const { results } = await api.call<{ results: RecordingFile[] }>("GET", at, "Listing the files");
  const files = results.filter(({ derived_from: made, download_url: url }) => made === null && url !== null);
  if (files.length === 0) throw new CommandError("The recording has no files that could be downloaded.");
  const below = path.resolve(plan.folder, plan.output ?? plan.recording);
  const taken = new Set<string>();
  const targets: Target[] = [];
  for (const { name, download_url: url, size_bytes: size, etag } of files) {
    const known = { size: Number(size), etag };
    const to = files.length === 1 ? await place(plan, name) : path.join(below, distinct(name, taken));
    targets.push({ url: url ?? "", known, expected: known.size, to });
  }
  return targets;
}

function distinct(name: string, taken: Set<string>): string {
  const { name: base, ext } = path.parse(name);
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${base}_${n}${ext}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Downloads a recording's files, or a range of it. Returns the names of the files that are there afterwards. */
export async function runDownload(plan: DownloadPlan, screen: TransferScreen): Promise<string[]> {
  const { from, to, topics, format } = plan;
  const isCut = [from, to, topics, format].some((given) => given !== undefined);
  const retryPolicy = () => new RetryPolicy(isCut ? maxCutFailures : maxFailures, plan.backoffMs ?? 1_000, screen.line);
  const api = new ApiClient(plan.origin, plan.credential, retryPolicy);
  const targets = isCut ? await planCut(api, plan) : await planFiles(api, plan);
  await downloadTargets(targets, plan.force, retryPolicy, screen);
  return targets.map((target) => target.to);
}

/**
 * Downloads what is not there yet, one after the other. With `force` it replaces files that are there; without, it throws a
 * CommandError for one that is another.
 */
export async function downloadTargets(
  targets: readonly Target[],
  force: boolean,
  retryPolicy: () => RetryPolicy,
  screen: TransferScreen,
): Promise<void> {
  const missing: Target[] = [];
  for (const target of targets) {
    if (!force && (await isThere(target.to, target))) screen.line(`${target.to} is there already.`);
    else if (!force && (await exists(target.to)))
      throw new CommandError(`${target.to} exists. Overwrite it with --force, or name another with --output.`);
    else missing.push(target);
  }
  const total = missing.reduce((sum, { expected }) => sum + expected, 0);
  let done = 0;
  screen.begin(total, 0);
  try {
    for (const target of missing) {
      await mkdir(path.dirname(target.to), { recursive: true });
      const progress = (bytes: number) => screen.progress(done + Math.min(bytes, target.expected));
      await fetchFile(target, target.to, retryPolicy(), { progress, line: screen.line });
      done += target.expected;
      screen.progress(done);
    }
  } finally {
    screen.end();
  }
}
