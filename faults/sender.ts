import type { Product } from "@/bench/product";
import { computeEtag } from "@/server/testing/stored-files";

/** An upload of one file whose every request the caller sends itself. */
export interface RawUpload {
  recording: string;
  session: string;
  /** Where the bytes are put. */
  link: string;
  headers: Record<string, string>;
}

type Call = Product["call"];

/** Creates a recording with an upload session for one file of this size. */
export async function beginUpload(call: Call, origin: string, device: string, size: number): Promise<RawUpload> {
  const { uid } = await call<{ uid: string }>("POST", "/fleet/recordings/", { device_id: device });
  const at = `/fleet/recordings/${uid}/upload`;
  const files = [{ path: "a.mcap", size_bytes: size }];
  const session = await call<{ uid: string }>("POST", `${at}/init/`, { files });
  const { urls } = await call<{ urls: { put_url: string; headers: Record<string, string> }[] }>("POST", `${at}/urls/`, {
    session_uid: session.uid,
    file_paths: ["a.mcap"],
  });
  const { put_url: link = "", headers = {} } = urls[0] ?? {};
  const url = new URL(link, origin);
  const own = url.pathname.startsWith("/files/upload/");
  return { recording: uid, session: session.uid, link: own ? url.pathname + url.search : url.href, headers };
}

/** Uploads and confirms a file of these bytes. Resolves to the status of the PUT, and to what a 503 says. */
export async function sendBytes(
  { call, url }: Pick<Product, "call" | "url">,
  device: string,
  bytes: Buffer,
): Promise<{ status: number; retryAfter: string | null }> {
  const upload = await beginUpload(call, url, device, bytes.length);
  const response = await fetch(new URL(upload.link, url), {
    method: "PUT",
    headers: upload.headers,
    body: new Uint8Array(bytes),
  });
  await response.body?.cancel();
  if (response.status === 200) {
    const claim = { path: "a.mcap", etag: computeEtag(bytes), size_bytes: bytes.length };
    await call("POST", `/fleet/recordings/${upload.recording}/upload/confirm/`, {
      session_uid: upload.session,
      files: [claim],
    });
  }
  return { status: response.status, retryAfter: response.headers.get("retry-after") };
}
