import { beforeAll, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import * as exportJobs from "@/server/features/exports/jobs";
import { finishExport } from "@/server/features/exports/queue-service";
import type { ExportResource } from "@/server/features/exports/resource";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { deleteStoredObjects } from "@/server/platform/storage/jobs";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
let dataset: DatasetResource;
beforeAll(async () => {
  org = await makeOrganization();
  member = await addMember(org);
  dataset = await pictures(org, 1);
});

const call = requestsWith(() => org.key);
const make = async (): Promise<ExportResource> => {
  const body = {
    name: unique("export"),
    format: "avala-json-external",
    datasets: [dataset.uid],
    projects: [],
    slices: [],
  };
  return (await call<ExportResource>("POST", "/exports/", body, member.key)).body;
};
const remove = async ({ uid }: ExportResource, key = member.key) =>
  (await call("DELETE", `/exports/${uid}/`, undefined, key)).status;
const isGone = async ({ uid }: ExportResource) => (await call("GET", `/exports/${uid}/`)).status === 404;

test("an export is deleted with its file by the member who made it", async () => {
  const made = await make();
  await runJobs([exportJobs.start, exportJobs.run]);
  const { storageKey } = await prisma.export.findUniqueOrThrow({ where: { uid: made.uid } });
  expect(await objectStore().head(storageKey ?? "")).not.toBeNull();
  expect([await remove(made), await isGone(made)]).toEqual([204, true]);
  await runJobs([deleteStoredObjects]);
  expect(await objectStore().head(storageKey ?? "")).toBeNull();
});

test("an export that is deleted while it waits or runs ends, and the next of the queue starts", async () => {
  const [waiting, running, next] = [await make(), await make(), await make()];
  await runJobs([exportJobs.start]);
  expect([await remove(waiting), await remove(running)]).toEqual([204, 204]);
  const finished = await transaction(systemContext(prisma, org.uid), (tx) =>
    finishExport(tx, running.uid, {
      storageKey: "exports/nowhere",
      sizeBytes: 1n,
      sha256: "0".repeat(64),
      contents: { items: 0, results: 0, classes: [], losses: [] },
    }),
  );
  expect(finished).toBe(false);
  await runJobs([exportJobs.start, exportJobs.run]);
  expect([await isGone(waiting), await isGone(running)]).toEqual([true, true]);
  expect((await call<ExportResource>("GET", `/exports/${next.uid}/`)).body.status).toBe("exported");
});

test("an export of another member is deleted by admins only", async () => {
  const made = await make();
  const [colleague, outsider] = [await addMember(org), await makeOrganization()];
  const statuses = [await remove(made, colleague.key), await remove(made, outsider.key), await remove(made, org.key)];
  expect(statuses).toEqual([403, 404, 204]);
});
