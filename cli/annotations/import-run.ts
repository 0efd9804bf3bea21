import { stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, type ApiClient } from "@/cli/client/api-client";
import { openClient, type ClientOptions } from "@/cli/client/client-options";
import { findUids } from "@/cli/client/named-objects";
import { putFile } from "@/cli/client/put-file";
import { formatSize, type TransferScreen } from "@/cli/client/transfer-screen";
import { hasEnded } from "@/domain/annotation-imports/choices";
import { csvLine } from "@/domain/csv";
import type { ImportReport, ImportResource, ImportUpload } from "@/server/features/imports/resource";

export interface ImportOptions extends ClientOptions {
  format?: string;
  mode: string;
  /** `file label=project label`. */
  label: string[];
  makeLabels?: boolean;
  leaveLabels?: boolean;
  scale?: boolean;
  check?: boolean;
  wait?: boolean;
  report?: string;
  cwd?: string;
}

const number = (value: number): string => value.toLocaleString("en");
const pictures = (count: number): string => `${number(count)} pictures`;

/** `person=pedestrian` as names of labels of the file and of the project. */
export function parseLabels(given: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf("=");
      if (at < 1)
        throw new CommandError(`--label takes the file's label and the project's, such as person=pedestrian.`);
      const to = each.slice(at + 1);
      return [each.slice(0, at), to === "" ? null : to];
    }),
  );
}

/** What becomes of the labels of the file. Throws a CommandError for those of which nobody said it. */
function chooseLabels({ findings }: ImportResource, options: ImportOptions): Record<string, string | null> {
  const chosen = parseLabels(options.label);
  const unknown = (findings?.labels ?? []).filter(({ name, label }) => label === null && !Object.hasOwn(chosen, name));
  if (unknown.length === 0) return chosen;
  if (!options.makeLabels && !options.leaveLabels) {
    const names = unknown.map(({ name }) => name).join(", ");
    throw new CommandError(
      `The project has no label ${names}. Say what becomes of it: --label "${unknown[0]?.name ?? ""}=…", --make-labels or --leave-labels.`,
    );
  }
  return { ...Object.fromEntries(unknown.map(({ name }) => [name, options.makeLabels ? name : null])), ...chosen };
}

const readImport = (api: ApiClient, uid: string): Promise<ImportResource> =>
  api.call<ImportResource>("GET", `/imports/${uid}/`, "Reading the import");

/** Waits while the server works on an import. Throws a CommandError with the reason when it fails or is stopped. */
async function waitWhile(
  api: ApiClient,
  uid: string,
  isUnderWay: (found: ImportResource) => boolean,
  { screen, pollMs }: { screen?: TransferScreen; pollMs: number },
): Promise<ImportResource> {
  let shown = false;
  try {
    for (;;) {
      const found = await readImport(api, uid);
      if (screen && found.total !== null) {
        if (!shown) screen.begin(found.total, 0, pictures);
        shown = true;
        screen.progress(found.position);
      }
      if (found.status === "failed")
        throw new CommandError(`The import failed: ${found.error_message ?? "no reason was given."}`);
      if (found.status === "stopped")
        throw new CommandError(`The import was stopped. ${found.error_message ?? ""}`.trim());
      if (!isUnderWay(found)) return found;
      await sleep(pollMs);
    }
  } finally {
    if (shown) screen?.end();
  }
}

/** Sends the file of an import. */
async function sendFile(
  { api, retryPolicy }: ReturnType<typeof openClient>,
  project: string,
  location: string,
  screen: TransferScreen,
): Promise<string> {
  const found = await stat(location).catch(() => null);
  if (!found?.isFile()) throw new CommandError(`There is no file ${location}.`);
  const name = path.basename(location);
  const { uid, put_url: url } = await api.call<ImportUpload>(
    "POST",
    `/projects/${project}/imports/`,
    "Beginning the import",
    {
      file_name: name,
      size_bytes: found.size,
    },
  );
  screen.begin(found.size, 0, formatSize);
  try {
    await putFile({
      file: { location, path: name, size: found.size },
      target: { url, headers: {}, resumable: true },
      renew: () => Promise.reject(new CommandError("The link to send the file to is over. Start the import again.")),
      retryPolicy: retryPolicy(),
      progress: screen.progress,
    });
  } finally {
    screen.end();
  }
  return uid;
}

function printFindings({ format, findings }: ImportResource, screen: TransferScreen): void {
  if (!findings) return;
  const { pictures: all, matched, annotations, open, repeated, unmatched, resized } = findings;
  screen.line(`${format}: ${number(annotations)} annotations, ${number(matched)} of ${pictures(all)} matched.`);
  for (const name of unmatched) screen.line(`  without an item: ${name}`);
  const begun = matched - open - repeated;
  if (begun > 0) screen.line(`${number(begun)} of them are of tasks that somebody has begun: they stay as they are.`);
  if (repeated > 0)
    screen.line(`Pictures whose item one before names: ${number(repeated)}. Only the first of each item is taken.`);
  if (resized > 0) screen.line(`${pictures(resized)} have another size than their items (--scale).`);
}

/** Writes what an import left out as CSV. */
async function writeReport(api: ApiClient, uid: string, file: string): Promise<void> {
  const { rows } = await api.call<ImportReport>("GET", `/imports/${uid}/report/`, "Reading the report");
  const lines = rows.map(({ picture, annotation, reason }) => csvLine([picture, annotation, reason]));
  await writeFile(file, [csvLine(["picture", "annotation", "reason"]), ...lines].join(""));
}

/**
 * Imports the annotations of a file into a project. Resolves to what to print: the uid of the import, with `wait` what became of
 * it, and with `check` nothing but what was said.
 */
export async function runImportAnnotations(
  projectName: string,
  file: string,
  options: ImportOptions,
  screen: TransferScreen,
  pollMs = 1_000,
): Promise<string> {
  const inFolder = (name: string) => path.resolve(options.cwd ?? process.cwd(), name);
  parseLabels(options.label);
  const connection = openClient(options, screen.line);
  const { api } = connection;
  const [project = ""] = await findUids(api, "project", [projectName]);
  const uid = await sendFile(connection, project, inFolder(file), screen);
  const { format, mode, scale, wait, report } = options;
  await api.call("POST", `/imports/${uid}/check/`, "Looking at the file", format === undefined ? {} : { format });
  const checked = await waitWhile(api, uid, ({ status }) => status === "checking", { pollMs });
  printFindings(checked, screen);
  const giveUp = () => api.call("POST", `/imports/${uid}/stop/`, "Giving up the import", {});
  if (options.check) {
    await giveUp();
    return uid;
  }
  let labels: Record<string, string | null>;
  try {
    labels = chooseLabels(checked, options);
  } catch (error) {
    await giveUp();
    throw error;
  }
  const body = { mode, sizes: scale ? "scale" : "refuse", labels };
  await api.call("POST", `/imports/${uid}/start/`, "Starting the import", body);
  screen.line(`The import ${uid} is started.`);
  if (!wait && report === undefined) return uid;
  const done = await waitWhile(api, uid, ({ status }) => !hasEnded(status), { screen, pollMs });
  if (report !== undefined) await writeReport(api, uid, inFolder(report));
  const left = done.annotations_left > 0 || done.failed > 0;
  screen.line(
    `${number(done.annotation_count)} annotations of ${pictures(done.done)} are in the project now, ${pictures(done.unchanged)} had nothing new` +
      (left ? `, ${number(done.annotations_left)} annotations and ${pictures(done.failed)} were left out.` : "."),
  );
  return uid;
}
