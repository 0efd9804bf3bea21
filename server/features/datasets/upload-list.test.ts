import { beforeAll, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { initDatasetUpload } from "@/server/features/datasets/upload-service";
import { makeDataset, picture, readItems, uploadTo } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;
let path: { owner: string; slug: string };
let first: string;

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await makeDataset(org);
  path = { owner: dataset.owner_name, slug: dataset.slug };
  const bytes = await picture();
  first = await uploadTo(org, dataset, {
    "a.png": bytes,
    "broken.png": bytes.subarray(0, 40),
    "notes.txt": Buffer.from("no picture"),
  });
});

const call = () => createTrpcCaller(org).datasets;

test("an upload says how many of its files are read, and lists those that are no items with the reason", async () => {
  expect(await call().upload.reading({ ...path, sessions: [first] })).toEqual({
    total_files: 3,
    pending_items: 3,
    failed_files: 0,
  });
  await readItems();
  expect(await call().upload.reading({ ...path, sessions: [first] })).toEqual({
    total_files: 3,
    pending_items: 0,
    failed_files: 2,
  });
  const { results } = await call().uploads(path);
  expect(results).toMatchObject([
    { uid: first, status: "finalized", total_files: 3, confirmed_files: 3, failed_files: 2, pending_items: 0 },
  ]);
  const failed = await call().failedFiles({ ...path, session_uid: first });
  expect(failed.map(({ path: name }) => name).sort()).toEqual(["broken.png", "notes.txt"]);
  expect(failed.find(({ path: name }) => name === "notes.txt")?.error).toMatch(/^Unknown format/);
});

test("names are known by their items; by files of unfinished sessions only where those are named", async () => {
  const open = await initDatasetUpload(org.ctx, path, { files: [{ path: "later.png", size_bytes: 5 }] });
  const paths = ["a.png", "broken.png", "later.png", "new.png"];
  expect(await call().upload.lookUp({ ...path, paths })).toEqual([
    { path: "a.png", state: "item", session_uid: first },
  ]);
  const known = await call().upload.lookUp({ ...path, paths, sessions: [first, open.uid] });
  expect(known.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: "a.png", state: "item", session_uid: first },
    { path: "broken.png", state: "failed", session_uid: first },
    { path: "later.png", state: "open", session_uid: open.uid },
  ]);
});

test("uploads are paged, newest first", async () => {
  const page = await call().uploads({ ...path, limit: 1 });
  expect(page.results.map(({ status }) => status)).toEqual(["active"]);
  const next = await call().uploads({ ...path, limit: 1, cursor: page.next ?? "" });
  expect(next.results.map(({ uid }) => uid)).toEqual([first]);
  expect(next.next).toBeNull();
});

test("nothing is seen of a dataset of assigned members, nor of another organization's", async () => {
  const hidden = await makeDataset(org, { access: "assigned" });
  const session = await uploadTo(org, hidden, { "x.png": await picture() });
  const member = createTrpcCaller(org, await addMember(org)).datasets;
  const at = { owner: hidden.owner_name, slug: hidden.slug };
  await expect(member.uploads(at)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(member.upload.lookUp({ ...at, paths: ["x.png"] })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(member.upload.reading({ ...at, sessions: [session] })).rejects.toMatchObject({ code: "NOT_FOUND" });
  // Of a session of another dataset nothing is read.
  expect(await member.upload.reading({ ...path, sessions: [session] })).toMatchObject({ total_files: 0 });
  await expect(member.failedFiles({ ...path, session_uid: session })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  const stranger = createTrpcCaller(await makeOrganization()).datasets;
  await expect(stranger.uploads(path)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
