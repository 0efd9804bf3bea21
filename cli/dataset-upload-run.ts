import { stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ApiError, CommandError, type ApiClient } from "@/cli/client/api-client";
import { openClient, type ClientOptions, type Connection } from "@/cli/client/client-options";
import { datasetAt, findDataset, findItemSizes } from "@/cli/client/named-objects";
import type { LocalFile } from "@/cli/client/put-file";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { walkFolder, type RefusedFile } from "@/cli/folder-files";
import { noMetadata, openMetadata, type ItemMetadata } from "@/cli/metadata-lines";
import { sendFiles } from "@/cli/send-files";
import { StateFile } from "@/cli/upload-state";
import type { DatasetResource, DatasetUploadStatus } from "@/server/features/datasets/resource";
import type { UploadSessionResource } from "@/server/features/uploads/resource";

export interface DatasetUploadPlan extends ClientOptions {
  folder: string;
  /** Uid, name or address of the dataset. */
  dataset: string;
  /** Makes it if there is none; of this type, if one is given. */
  create: boolean;
  type?: string;
  /** A file of lines with the metadata of items. */
  metadata?: string;
  /** Waits until the files are read, and names those that cannot be items. */
  wait: boolean;
  /** Where interrupted uploads are recorded; default: in the user's home. */
  stateFolder?: string;
  /** First pause after a failure, in milliseconds. */
  backoffMs?: number;
  /** Files of one session, and how often the server is asked whether it has read them. */
  filesPerSession?: number;
  pollMs?: number;
}

export interface UploadedDataset {
  dataset: string;
  /** Files that were sent, and those that the dataset had already. */
  uploaded: number;
  present: number;
  /** Files that did not become items. */
  refused: number;
}

const filesPerSession = 500;
const concurrency = 4;
/** What one request may carry of metadata, which ends a session before it is full. */
const maxMetadataBytes = 512 * 1024;

/** The files of an interrupted session. The same files open the same session again. */
const SessionState = z.object({ files: z.array(z.object({ path: z.string(), size: z.int() })) });

/** Uploads the files below a folder to a dataset, or what is missing of them after an interruption. */
export async function runDatasetUpload(plan: DatasetUploadPlan, screen: TransferScreen): Promise<UploadedDataset> {
  const connection = openClient(plan, screen.line, plan.backoffMs);
  const metadata = plan.metadata === undefined ? noMetadata : await openMetadata(plan.metadata);
  try {
    const total = await measure(plan, metadata, screen);
    const dataset = await openDataset(connection, plan, screen);
    const upload = new FolderUpload(plan, connection, dataset, metadata, screen);
    screen.begin(total, 0);
    try {
      await upload.resume();
      await upload.sendRest();
    } finally {
      screen.end();
    }
    return await upload.finish();
  } finally {
    await metadata.close();
  }
}

/** How many bytes the folder has. Throws a CommandError for one without files. */
async function measure(plan: DatasetUploadPlan, metadata: ItemMetadata, screen: TransferScreen): Promise<number> {
  let [files, bytes, described] = [0, 0, 0];
  for await (const found of walkFolder(plan.folder, plan.metadata)) {
    if ("refusal" in found) continue;
    files++;
    bytes += found.size;
    if (metadata.has(found.path)) described++;
  }
  if (files === 0) throw new CommandError(`${plan.folder} has no files that could be uploaded.`);
  const unknown = metadata.count - described;
  if (unknown > 0)
    screen.line(`${unknown} of ${metadata.count} lines of ${plan.metadata} name no file below ${plan.folder}.`);
  return bytes;
}

async function openDataset(
  { api }: Connection,
  { dataset: wanted, create, type }: DatasetUploadPlan,
  screen: TransferScreen,
): Promise<DatasetResource> {
  const found = await findDataset(api, wanted);
  if (found) return found;
  if (!create)
    throw new CommandError(`There is no dataset ${JSON.stringify(wanted)} that this key may see. --create makes it.`);
  const made = await api.call<DatasetResource>("POST", "/datasets/", "Creating the dataset", {
    name: wanted,
    ...(type !== undefined && { data_type: type }),
  });
  screen.line(`Created the dataset ${made.name}.`);
  return made;
}

class FolderUpload {
  private readonly at: string;
  private readonly stateFile: StateFile<z.output<typeof SessionState>>;
  private readonly sessions: string[] = [];
  /** Files of the session that was resumed. */
  private resumed: ReadonlySet<string> = new Set();
  private counts = { uploaded: 0, present: 0, refused: 0 };
  private doneBytes = 0;

  constructor(
    private readonly plan: DatasetUploadPlan,
    private readonly connection: Connection,
    private readonly dataset: DatasetResource,
    private readonly metadata: ItemMetadata,
    private readonly screen: TransferScreen,
  ) {
    this.at = datasetAt(dataset);
    const identity = [connection.api.origin, "dataset", dataset.uid, plan.folder];
    this.stateFile = new StateFile(SessionState, identity, plan.stateFolder);
  }

  /** Finishes the session that an earlier run left, unless its files changed. */
  async resume(): Promise<void> {
    const state = await this.stateFile.read();
    if (!state) return;
    const files: LocalFile[] = [];
    for (const { path: below, size } of state.files) {
      const location = path.join(this.plan.folder, below);
      const found = await stat(location).catch(() => null);
      if (found?.size === size) files.push({ location, path: below, size });
    }
    if (files.length < state.files.length) {
      this.screen.line("Files of the interrupted upload changed: those that were sent with them are sent again.");
      return this.stateFile.remove();
    }
    try {
      await this.sendSession(files, "Going on with the interrupted upload.");
    } catch (error) {
      // It was finished just before the interruption, so that the dataset has its files.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      return this.stateFile.remove();
    }
    this.resumed = new Set(files.map((file) => file.path));
  }

  /** Sends what the dataset does not have, in sessions. */
  async sendRest(): Promise<void> {
    let batch: LocalFile[] = [];
    let metadataBytes = 0;
    for await (const found of walkFolder(this.plan.folder, this.plan.metadata)) {
      if ("refusal" in found) this.refuse(found);
      else if (!this.resumed.has(found.path)) {
        const given = await this.metadata.read(found.path);
        const bytes = given === null ? 0 : Buffer.byteLength(JSON.stringify({ path: found.path, metadata: given }));
        const isFull =
          batch.length >= (this.plan.filesPerSession ?? filesPerSession) || metadataBytes + bytes > maxMetadataBytes;
        if (isFull) {
          await this.sendMissing(batch);
          [batch, metadataBytes] = [[], 0];
        }
        batch.push(found);
        metadataBytes += bytes;
      }
    }
    await this.sendMissing(batch);
  }

  /** Waits until the files are read, if that is wanted. */
  async finish(): Promise<UploadedDataset> {
    if (this.plan.wait) {
      const failed = waitUntilRead(this.connection.api, this.at, this.sessions, this.screen, this.plan.pollMs);
      for await (const { path: file, error } of failed) this.refuse({ path: file, refusal: error });
    }
    return { dataset: this.dataset.uid, ...this.counts };
  }

  private refuse({ path: file, refusal }: RefusedFile): void {
    this.counts.refused++;
    this.screen.line(`Refused ${file}: ${refusal}`);
  }

  private passed(bytes: number): void {
    this.doneBytes += bytes;
    this.screen.progress(this.doneBytes);
  }

  private async sendMissing(batch: readonly LocalFile[]): Promise<void> {
    if (batch.length === 0) return;
    const known =
      this.dataset.item_count > 0 || this.resumed.size > 0
        ? await findItemSizes(this.connection.api, this.at, batch)
        : new Map<string, number>();
    const missing: LocalFile[] = [];
    for (const file of batch) {
      const size = known.get(file.path);
      if (size === undefined) missing.push(file);
      else {
        if (size === file.size) this.counts.present++;
        else this.refuse({ path: file.path, refusal: "The dataset has another file of this name." });
        this.passed(file.size);
      }
    }
    if (missing.length > 0) await this.sendSession(missing);
  }

  private async sendSession(files: readonly LocalFile[], announcement?: string): Promise<void> {
    const { api, retryPolicy } = this.connection;
    const { uid: session } = await api.call<UploadSessionResource>(
      "POST",
      `${this.at}/upload/init/`,
      "Beginning the upload",
      { files: files.map((file) => ({ path: file.path, size_bytes: file.size })) },
    );
    if (announcement !== undefined) this.screen.line(announcement);
    const isStored = await this.stateFile.write({ files: files.map(({ path: file, size }) => ({ path: file, size })) });
    if (!isStored && this.sessions.length === 0)
      this.screen.line(
        "The state of this upload cannot be saved: if it is interrupted, up to a session is sent again.",
      );
    const status = await api.call<DatasetUploadStatus>(
      "GET",
      `${this.at}/upload/status/?session_uid=${session}`,
      "Reading the status of the upload",
    );
    const pending = new Set(status.pending_paths);
    const unsent = files.filter((file) => pending.has(file.path));
    for (const file of files) if (!pending.has(file.path)) this.doneBytes += file.size;
    const before = this.doneBytes;
    await sendFiles({
      api,
      at: `${this.at}/upload`,
      session,
      files: unsent,
      concurrency,
      perConfirmation: 50,
      retryPolicy,
      progress: (bytes) => this.screen.progress(before + bytes),
    });
    for (const file of unsent) this.doneBytes += file.size;
    await api.call("POST", `${this.at}/upload/finalize/`, "Finishing the upload", {
      session_uid: session,
      files: await this.readMetadata(files),
    });
    await this.stateFile.remove();
    this.sessions.push(session);
    this.counts.uploaded += files.length;
  }

  private async readMetadata(files: readonly LocalFile[]): Promise<{ path: string; metadata: object }[]> {
    const given: { path: string; metadata: object }[] = [];
    for (const { path: file } of files) {
      const metadata = await this.metadata.read(file);
      if (metadata) given.push({ path: file, metadata });
    }
    return given;
  }
}

/** Waits until the files of sessions are read, and lists those that did not become items. */
async function* waitUntilRead(
  api: ApiClient,
  at: string,
  sessions: readonly string[],
  screen: TransferScreen,
  pollMs = 1_000,
): AsyncGenerator<DatasetUploadStatus["failed_files"][number]> {
  if (sessions.length > 0) screen.line("Reading the files …");
  for (const session of sessions) {
    for (;;) {
      const status = await api.call<DatasetUploadStatus>(
        "GET",
        `${at}/upload/status/?session_uid=${session}`,
        "Reading the status of the upload",
      );
      if (status.pending_items === 0) {
        yield* status.failed_files;
        break;
      }
      await sleep(pollMs);
    }
  }
}
