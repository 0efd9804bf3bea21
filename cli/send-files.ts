import { CommandError, type ApiClient, type RetryPolicy } from "@/cli/client/api-client";
import { putFile, type LocalFile, type PutTarget } from "@/cli/client/put-file";

/** The files of an upload session, of a recording or of a dataset, that are to be sent. */
interface SessionFiles {
  api: ApiClient;
  /** The address of the upload below `/api/v1`. */
  at: string;
  session: string;
  files: readonly LocalFile[];
  /** How many are sent at the same time. */
  concurrency: number;
  /** How many are confirmed by one request; an interruption before it may send these again to a bucket. */
  perConfirmation: number;
  retryPolicy: () => RetryPolicy;
  /** How many bytes of these files the server has. */
  progress: (bytes: number) => void;
}

/** A day is long enough for the upload of any file. */
const linkSeconds = 86_400;
const filesPerRequest = 50;

interface Links {
  urls: { path: string; put_url: string; headers: Record<string, string> }[];
}

async function fetchLinks({ api, at, session }: SessionFiles, paths: string[]): Promise<Map<string, PutTarget>> {
  const body = { session_uid: session, file_paths: paths, ttl_seconds: linkSeconds };
  const { urls } = await api.call<Links>("POST", `${at}/urls/`, "Requesting links for the files", body);
  return new Map(urls.map((entry) => [entry.path, toTarget(api.origin, entry.put_url, entry.headers)]));
}

function requireLink(links: ReadonlyMap<string, PutTarget>, path: string): PutTarget {
  const target = links.get(path);
  if (!target) throw new CommandError(`The server gave no link for ${path}.`);
  return target;
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

/** Sends files and confirms them. When one fails, those that are under way are finished and confirmed before it throws. */
export async function sendFiles(sending: SessionFiles): Promise<void> {
  const { api, at, session, files, concurrency, perConfirmation, retryPolicy, progress } = sending;
  let done = 0;
  const underWay = new Map<LocalFile, number>();
  const report = () => progress(done + [...underWay.values()].reduce((sum, bytes) => sum + bytes, 0));
  let claims: { path: string; etag: string; size_bytes: number }[] = [];
  const confirm = async () => {
    const [first, ...more] = claims;
    if (!first) return;
    claims = [];
    const action = more.length === 0 ? `Confirming ${first.path}` : `Confirming ${more.length + 1} files`;
    await api.call("POST", `${at}/confirm/`, action, { session_uid: session, files: [first, ...more] });
  };
  const send = async (file: LocalFile, target: PutTarget) => {
    const etag = await putFile({
      file,
      target,
      renew: async () => requireLink(await fetchLinks(sending, [file.path]), file.path),
      retryPolicy: retryPolicy(),
      progress: (bytes) => {
        underWay.set(file, bytes);
        report();
      },
    });
    underWay.delete(file);
    done += file.size;
    report();
    claims.push({ path: file.path, etag, size_bytes: file.size });
    if (claims.length >= perConfirmation) await confirm();
  };

  for (let from = 0; from < files.length; from += filesPerRequest) {
    const batch = files.slice(from, from + filesPerRequest);
    const links = await fetchLinks(
      sending,
      batch.map((file) => file.path),
    );
    const waiting = batch.values();
    let failed = false;
    const lane = async () => {
      for (const file of waiting) {
        if (failed) return;
        await send(file, requireLink(links, file.path)).catch((error: unknown) => {
          failed = true;
          throw error;
        });
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: Math.min(concurrency, batch.length) }, lane));
    await confirm();
    const failure = lanes.find((each) => each.status === "rejected");
    if (failure) throw failure.reason;
  }
}
