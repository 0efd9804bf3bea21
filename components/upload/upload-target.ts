import type { useTRPCClient } from "@/components/trpc/client";
import type { UploadFile, UploadFiles } from "./upload-files";

export type Client = ReturnType<typeof useTRPCClient>;

/** An open session of the server, and those of its files that are not there yet. */
export interface OpenSession {
  uid: string;
  pending: readonly UploadFile[];
  isFinalized: boolean;
}

interface SignedUrls {
  urls: { path: string; put_url: string; headers: Record<string, string> }[];
}
interface Claim {
  path: string;
  etag: string;
  size_bytes: number;
}

/** What a target needs of the upload that runs. */
export interface RunningUpload {
  key: string;
  client: Client;
  files: UploadFiles;
  signal: AbortSignal;
  /** Calls the server, again while it cannot be reached; throws its refusals. */
  call: <T>(run: () => Promise<T>) => Promise<T>;
}

/** Where files are uploaded to: how its sessions are opened, and the server's verbs for them. */
export interface UploadTarget {
  /** The sessions of an upload; each is requested when the one before is finalized. */
  sessions: (upload: RunningUpload) => AsyncIterable<OpenSession>;
  urls: (upload: RunningUpload, sessionUid: string, paths: string[]) => Promise<SignedUrls>;
  confirm: (upload: RunningUpload, sessionUid: string, files: Claim[]) => Promise<unknown>;
  finalize: (upload: RunningUpload, sessionUid: string) => Promise<unknown>;
  /** What is said when it is no longer there. */
  deletedText: string;
}
