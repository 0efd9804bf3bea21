import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient, ApiError, CommandError, type Credential, RetryPolicy } from "@/cli/api-client";
import { putFile, type LocalFile, type PutTarget } from "@/cli/put-file";
import type { TransferScreen } from "@/cli/transfer-screen";
import { StateFile, type UploadState } from "@/cli/upload-state";

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

/** A day is long enough for the upload of any file. */
const linkSeconds = 86_400;
const filesPerRequest = 50;
const maxFailures = 9;
const pollMs = 1_000;

/** Uploads files as one recording, or resumes an interrupted upload of the same files. */
export async function runUpload(
  plan: UploadPlan,
  screen: TransferScreen,
): Promise<{ recording: string; status: string }> {
  const retryPolicy = () => new RetryPolicy(maxFailures, plan.backoffMs ?? 1_000, screen.line);
  const api = new ApiClient(plan.origin, plan.credential, retryPolicy);
  const stateFile = new StateFile(plan.origin, plan.device, plan.files, plan.stateFolder);

  const { state, status } = await openSession(api, plan, stateFile, screen);
  const at = `/fleet/recordings/${state.recording}/upload`;
  if (status.status === "active") {
    await sendFiles(api, plan, state, status, screen, retryPolicy);
    await api.call("POST", `${at}/finalize/`, "Finishing the upload", { session_uid: state.session });
  }
  await stateFile.remove();
  if (!plan.wait) return { recording: state.recording, status: "processing" };
  return { recording: state.recording, status: await waitUntilProcessed(api, at, screen) };
}

async function openSession(
  api: ApiClient,
  plan: UploadPlan,
  stateFile: StateFile,
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

async function sendFiles(
  api: ApiClient,
  plan: UploadPlan,
  state: UploadState,
  status: Status,
  screen: TransferScreen,
  retryPolicy: () => RetryPolicy,
): Promise<void> {
  const at = `/fleet/recordings/${state.recording}/upload`;
  const pending = new Set(status.pending_paths);
  const files = plan.files.filter((file) => pending.has(file.path));
  const total = plan.files.reduce((sum, file) => sum + file.size, 0);
  let done = total - files.reduce((sum, file) => sum + file.size, 0);

  const fetchLinks = async (paths: string[]): Promise<Map<string, PutTarget>> => {
    const body = { session_uid: state.session, file_paths: paths, ttl_seconds: linkSeconds };
    const response = await api.call<{ urls: { path: string; put_url: string; headers: Record<string, string> }[] }>(
      "POST",
      `${at}/urls/`,
      "Requesting links for the files",
      body,
    );
    return new Map(response.urls.map((entry) => [entry.path, toTarget(plan.origin, entry.put_url, entry.headers)]));
  };
  const requireLink = async (links: Map<string, PutTarget>, path: string): Promise<PutTarget> => {
    const target = links.get(path);
    if (!target) throw new CommandError(`The server gave no link for ${path}.`);
    return target;
  };

  screen.begin(total, done);
  try {
    for (let from = 0; from < files.length; from += filesPerRequest) {
      const batch = files.slice(from, from + filesPerRequest);
      const links = await fetchLinks(batch.map((file) => file.path));
      for (const file of batch) {
        const etag = await putFile({
          file,
          target: await requireLink(links, file.path),
          renew: async () => requireLink(await fetchLinks([file.path]), file.path),
          retryPolicy: retryPolicy(),
          progress: (bytes) => screen.progress(done + bytes),
        });
        done += file.size;
        screen.progress(done);
        // Confirmed one by one, so that an interrupted run never sends a finished file again.
        const claim = { path: file.path, etag, size_bytes: file.size };
        await api.call("POST", `${at}/confirm/`, `Confirming ${file.path}`, {
          session_uid: state.session,
          files: [claim],
        });
      }
    }
  } finally {
    screen.end();
  }
}

/**
 * Links to Muster's own file routes get the address that the user gave, because the public one may not be reachable
 * from here.
 */
function toTarget(origin: string, link: string, headers: Record<string, string>): PutTarget {
  const url = new URL(link, origin);
  const own = url.pathname.startsWith("/files/upload/");
  return { url: own ? new URL(url.pathname + url.search, origin).href : url.href, headers, resumable: own };
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
