import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import * as modelJobs from "@/server/features/models/jobs";
import type { IntegrationResource, ModelResource, RunResource } from "@/server/features/models/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
let receiver: Receiver;
let integration: string;
let dataset: DatasetResource;
let restore = () => {};
const call = requestsWith(() => org.key);
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  member = await addMember(org);
  const staff = (await addMember(org, "admin", { staff: true })).key;
  const model = { name: unique("model"), model_type_name: "detector" };
  const { uid } = (await call<ModelResource>("POST", "/models/", model, staff)).body;
  const address = { provider: "http", name: "ours", url: receiver.url };
  const made = await call<IntegrationResource>("POST", `/models/${uid}/integrations/`, address, staff);
  integration = made.body.uid;
  dataset = await pictures(org, 2);
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const work = () => runJobs([modelJobs.run]);
async function start(): Promise<RunResource> {
  const body = [{ dataset_uid: dataset.uid, dataset_item_uids: [] }];
  const path = `/models/integrations/${integration}/predict/`;
  const [run] = (await call<RunResource[]>("POST", path, body, member.key)).body as RunResource[];
  return run!;
}
const get = async ({ uid }: RunResource) => (await call<RunResource>("GET", `/models/runs/${uid}/`)).body;
const step = ({ uid }: RunResource, verb: "abort" | "retry", key = member.key) =>
  call<RunResource>("POST", `/models/runs/${uid}/${verb}/`, undefined, key);
const remove = async ({ uid }: RunResource, key = member.key) =>
  (await call("DELETE", `/models/runs/${uid}/`, undefined, key)).status;

/** Lets the provider answer after `act`, which it calls at the first request. */
function actMeanwhile(act: () => Promise<unknown>): void {
  let acted: Promise<unknown> | null = null;
  receiver.respondWith((_received, response) => {
    acted ??= act();
    void acted.then(() => response.end(JSON.stringify({ predictions: [] })));
  });
}

describe("a run", () => {
  test("that waits is aborted by who started it, reported as failed, and continues when it is tried again", async () => {
    receiver.respondWith((_received, response) => response.end(JSON.stringify({ predictions: [] })));
    const run = await start();
    expect(run.created_by_uid).toBe(member.uid);
    const aborted = await step(run, "abort");
    expect([aborted.status, aborted.body]).toMatchObject([
      200,
      { run_status: "failed", error_message: `Aborted by ${member.username}.` },
    ]);
    await work();
    expect(await get(run)).toMatchObject({ run_status: "failed", done_item_count: 0 });
    expect((await step(run, "abort")).body.run_status).toEqual(["This run is failed already."]);
    const again = await step(run, "retry");
    expect([again.status, again.body]).toMatchObject([200, { run_status: "pending", error_message: null }]);
    await work();
    expect(await get(run)).toMatchObject({ run_status: "completed", done_item_count: 2 });
    expect((await step(run, "retry")).body.run_status).toEqual([expect.stringContaining("this one is completed")]);
  });

  test("under way that is aborted stays so, and stores no more predictions", async () => {
    const run = await start();
    actMeanwhile(() => step(run, "abort"));
    await work();
    expect(await get(run)).toMatchObject({ run_status: "failed", done_item_count: 0 });
    expect(await prisma.prediction.count({ where: { runId: run.uid } })).toBe(0);
  });

  test("under way that is deleted leaves nothing behind, and its job ends", async () => {
    const run = await start();
    actMeanwhile(() => remove(run));
    await work();
    expect((await call("GET", `/models/runs/${run.uid}/`)).status).toBe(404);
    expect(await prisma.prediction.count({ where: { runId: run.uid } })).toBe(0);
  });

  test("of another member is aborted, tried again and deleted by admins only", async () => {
    const run = await start();
    const [colleague, outsider] = [await addMember(org), await makeOrganization()];
    const statuses = async (key: string) => [
      (await step(run, "abort", key)).status,
      (await step(run, "retry", key)).status,
      await remove(run, key),
    ];
    expect(await statuses(colleague.key)).toEqual([403, 403, 403]);
    expect(await statuses(outsider.key)).toEqual([404, 404, 404]);
    expect(await statuses(org.key)).toEqual([200, 200, 204]);
  });
});
