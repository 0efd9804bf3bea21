import { createHash } from "node:crypto";
import type { APIRequestContext } from "@playwright/test";
import { expect, unique, type Api } from "./fixtures";

/** The smallest PNG: one grey pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);

/** A dataset with a picture of each name, uploaded through the API and read by the worker. */
export async function makePictures(
  api: Api,
  request: APIRequestContext,
  names: readonly string[],
): Promise<{ uid: string; path: string; name: string }> {
  const created = { name: unique("Yard"), data_type: "image" };
  const dataset = await api.post<{ uid: string; slug: string; owner_name: string }>("/datasets/", created);
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const files = names.map((name) => ({ path: name, size_bytes: pixel.length }));
  const { uid: session_uid } = await api.post<{ uid: string }>(`${path}/upload/init/`, { files });
  const { urls } = await api.post<{ urls: { put_url: string; headers: Record<string, string> }[] }>(
    `${path}/upload/urls/`,
    { session_uid, file_paths: names },
  );
  for (const { put_url: url, headers } of urls) await request.put(url, { data: pixel, headers });
  const etag = createHash("md5").update(pixel).digest("hex");
  await api.post(`${path}/upload/confirm/`, { session_uid, files: files.map((file) => ({ ...file, etag })) });
  await api.post(`${path}/upload/finalize/`, { session_uid });
  await expect
    .poll(
      async () => {
        const { results } = await api.get<{ results: { status: string }[] }>(`${path}/items/`);
        return results.filter(({ status }) => status !== "pending").length;
      },
      { timeout: 30_000 },
    )
    .toBe(names.length);
  return { uid: dataset.uid, path, name: created.name };
}
