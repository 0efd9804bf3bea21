import { createHash } from "node:crypto";
import type { APIRequestContext } from "@playwright/test";
import { expect, unique, type Api } from "./fixtures";

export interface MadeDataset {
  uid: string;
  name: string;
  slug: string;
  owner_name: string;
}

/** A bucket that is connected, and how its server gets the bytes of a signed link, which it does not take itself. */
interface ConnectedBucket {
  uid: string;
  store: (url: string, bytes: Buffer) => void;
}

const three = [0, 1, 2].map((each) => `front/crossing-${each}.png`);

/** A dataset with a picture of each name, uploaded through the API and read by the worker. */
export async function makePictures(
  api: Api,
  request: APIRequestContext,
  { names = three, bucket }: { names?: readonly string[]; bucket?: ConnectedBucket } = {},
): Promise<MadeDataset> {
  const dataset = await api.post<MadeDataset>("/datasets/", {
    name: unique("yard"),
    data_type: "image",
    ...(bucket && { storage_config_uid: bucket.uid }),
  });
  const path = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const picture = await (await request.get("/samples/crossing.png")).body();
  const files = names.map((name) => ({ path: name, size_bytes: picture.length }));
  const { uid: session_uid } = await api.post<{ uid: string }>(`${path}/upload/init/`, { files });
  const { urls } = await api.post<{ urls: { put_url: string; headers: Record<string, string> }[] }>(
    `${path}/upload/urls/`,
    { session_uid, file_paths: names },
  );
  for (const { put_url: url, headers } of urls) {
    if (bucket) bucket.store(url, picture);
    else await request.put(url, { data: picture, headers });
  }
  const etag = createHash("md5").update(picture).digest("hex");
  await api.post(`${path}/upload/confirm/`, { session_uid, files: files.map((file) => ({ ...file, etag })) });
  await api.post(`${path}/upload/finalize/`, { session_uid });
  await expect
    .poll(async () => {
      const { results } = await api.get<{ results: { status: string }[] }>(`${path}/items/`);
      return results.filter(({ status }) => status !== "pending").length;
    })
    .toBe(names.length);
  return dataset;
}
