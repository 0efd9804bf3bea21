import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ApiClient, ApiError, CommandError, type Credential, RetryPolicy } from "@/cli/client/api-client";
import type { LocalFile } from "@/cli/client/put-file";
import type { TransferScreen } from "@/cli/client/transfer-screen";
import { sendFiles } from "@/cli/send-files";
import { StateFile } from "@/cli/upload-state";

export interface UploadPlan {
  origin: string;
  credential: Credential;
  /** Implied by a device's token. */
  device: string | undefined;
  files: readonly LocalFile[];
  name: string | undefined;
  tags: readonly string[];
  /** Waits until the recording is processed. */
  wait: boolean;
  /** Where interrupted uploads are recorded; default: in the user's home. */
  stateFolder?: string;
  /** First pause after a failure, in milliseconds. */
  backoffMs?: number;
}

interface Status {
  session_uid: string;
  status: "active" | "finalized";
  pending_paths: string[];
  recording_status: string;
  error_message: string | null;
  progress: number | null;
}

/** Which recording an interrupted upload belongs to. */
const UploadState = z.object({ recording: z.string(), session: z.string() });
type UploadState = z.output<typeof UploadState>;

const maxFailures = 9;
const pollMs = 1_000;

/** Uploads files as one recording, or resumes an interrupted upload of the same files. */
export async function runUpload(
  plan: UploadPlan,
  screen: TransferScreen,
): Promise<{ recording: string; status: string }> {
  const retryPolicy = () => new RetryPolicy(maxFailures, plan.backoffMs ?? 1_000, screen.line);
  const api = new ApiClient(plan.origin, plan.credential, retryPolicy);
  // An unfinished upload of exactly these files to a server and device.
  const identity = [plan.origin, plan.device ?? "", ...plan.files.map((file) => [file.location, file.path, file.size])];
  const stateFile = new StateFile(UploadState, identity, plan.stateFolder);

  const { state, status } = await openSession(api, plan, stateFile, screen);
  const at = `/fleet/recordings/${state.recording}/upload`;
  if (status.status === "active") {
    await sendPending(api, plan, state, status, screen, retryPolicy);
    await api.call("POST", `${at}/finalize/`, "Finishing the upload", { session_uid: state.session });
  }
  await stateFile.remove();
  if (!plan.wait) return { recording: state.recording, status: "processing" };
  return { recording: state.recording, status: await waitUntilProcessed(api, at, screen) };
}

async function openSession(
  api: ApiClient,
  plan: UploadPlan,
  stateFile: StateFile<UploadState>,
  screen: TransferScreen,
): Promise<{ state: UploadState; status: Status }> {
  const earlier = await stateFile.read();
  const found = earlier && (await fetchStatus(api, earlier));
  if (earlier && found && found.recording_status !== "error") {
    screen.line(`Going on with ${earlier.recording}.`);
    return { state: earlier, status: found };
  }
  const created = await api.call<{ uid: string }>("POST", "/fleet/recordings/", "Creating the recording", {
    ...(plan.device !== undefined && { device_id: plan.device }),
    ...(plan.name !== undefined && { name: plan.name }),
    ...(plan.tags.length > 0 && { tags: plan.tags }),
  });
  const path = `/fleet/recordings/${created.uid}/upload/init/`;
  const files = plan.files.map((file) => ({ path: file.path, size_bytes: file.size }));
  const session = await api.call<{ uid: string }>("POST", path, "Beginning the upload", { files });
  const state = { recording: created.uid, session: session.uid };
  if (!(await stateFile.write(state)))
    screen.line("The state of this upload cannot be saved: if it is interrupted, it starts from the beginning.");
  return { state, status: await requireStatus(api, state.recording) };
}

const requireStatus = (api: ApiClient, recording: string): Promise<Status> =>
  api.call<Status>("GET", `/fleet/recordings/${recording}/upload/status/`, "Reading the status of the upload");

/** The status of an earlier upload; null when the server does not know the upload any more. */
async function fetchStatus(api: ApiClient, state: UploadState): Promise<Status | null> {
  try {
    const status = await requireStatus(api, state.recording);
    return status.session_uid === state.session ? status : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function sendPending(
  api: ApiClient,
  plan: UploadPlan,
  state: UploadState,
  status: Status,
  screen: TransferScreen,
  retryPolicy: () => RetryPolicy,
): Promise<void> {
  const pending = new Set(status.pending_paths);
  const files = plan.files.filter((file) => pending.has(file.path));
  const sum = (some: readonly LocalFile[]) => some.reduce((bytes, file) => bytes + file.size, 0);
  const done = sum(plan.files) - sum(files);
  screen.begin(sum(plan.files), done);
  try {
    await sendFiles({
      api,
      at: `/fleet/recordings/${state.recording}/upload`,
      session: state.session,
      files,
      concurrency: 1,
      // One by one, so that an interrupted run never sends a finished file again.
      perConfirmation: 1,
      retryPolicy,
      progress: (bytes) => screen.progress(done + bytes),
    });
  } finally {
    screen.end();
  }
}

async function waitUntilProcessed(api: ApiClient, at: string, screen: TransferScreen): Promise<string> {
  screen.line("Processing …");
  for (;;) {
    const status = await api.call<Status>("GET", `${at}/status/`, "Reading the status of the recording");
    if (status.recording_status === "error") {
      throw new CommandError(`The recording could not be processed: ${status.error_message ?? "no reason was given."}`);
    }
    if (status.recording_status !== "processing") return status.recording_status;
    await sleep(pollMs);
  }
}
