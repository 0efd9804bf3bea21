import { createHash } from "node:crypto";
import type { APIRequestContext } from "@playwright/test";
import { expect, unique, type Api } from "./fixtures";
import type { MadeDataset } from "./pictures";

interface NewDataset {
  data_type: "image" | "video" | "lidar" | "mcap";
  is_sequence?: boolean;
}

interface MadeItem {
  uid: string;
  key: string;
  status: string;
}

/** A dataset with these files, uploaded through the API and read by the worker, and its items by name. */
export async function makeDataset(
  api: Api,
  request: APIRequestContext,
  input: NewDataset,
  files: Readonly<Record<string, Buffer>>,
): Promise<{ dataset: MadeDataset; path: string; items: ReadonlyMap<string, string> }> {
  const dataset = await api.post<MadeDataset>("/datasets/", { name: unique("yard"), ...input });
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const listed = Object.entries(files).map(([name, bytes]) => ({ path: name, size_bytes: bytes.length }));
  const { uid: session_uid } = await api.post<{ uid: string }>(`${path}/upload/init/`, { files: listed });
  const { urls } = await api.post<{ urls: { path: string; put_url: string; headers: Record<string, string> }[] }>(
    `${path}/upload/urls/`,
    { session_uid, file_paths: Object.keys(files) },
  );
  for (const { path: name, put_url: url, headers } of urls) await request.put(url, { data: files[name], headers });
  const confirmed = listed.map((file) => ({
    ...file,
    etag: createHash("md5")
      .update(files[file.path] ?? "")
      .digest("hex"),
  }));
  await api.post(`${path}/upload/confirm/`, { session_uid, files: confirmed });
  await api.post(`${path}/upload/finalize/`, { session_uid });
  const list = async () => (await api.get<{ results: MadeItem[] }>(`${path}/items/`)).results;
  await expect.poll(async () => (await list()).filter(({ status }) => status !== "pending").length).toBe(listed.length);
  return { dataset, path, items: new Map((await list()).map(({ key, uid }) => [key, uid])) };
}
