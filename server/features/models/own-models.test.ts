import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import * as modelJobs from "@/server/features/models/jobs";
import type {
  IntegrationResource,
  IntegrationWithSecret,
  ModelResource,
  RunResource,
  TryResult,
} from "@/server/features/models/resource";
import { open } from "@/server/platform/crypto";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { jobIds, leaveOneAttempt } from "@/server/testing/queued-jobs";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
let outsider: TestOrganization;
let staff: string;
let receiver: Receiver;
let restore = () => {};
const call = requestsWith(() => org.key);
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, outsider, receiver] = await Promise.all([makeOrganization(), makeOrganization(), startReceiver()]);
  member = await addMember(org);
  staff = (await addMember(org, "admin", { staff: true })).key;
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const work = () => runJobs([modelJobs.run]);
const aBox = { label: "forklift", type: "bbox", coordinates: { x: 1, y: 2, width: 3, height: 4 }, attributes: {} };
const answer = (...predictions: object[]): void =>
  receiver.respondWith((_received, response) => response.end(JSON.stringify({ predictions })));

const createModel = async (input: object = {}, key = org.key) =>
  call<ModelResource>("POST", "/models/", { name: unique("model"), model_type_name: "detector", ...input }, key);
async function connect(input: object = {}): Promise<IntegrationWithSecret> {
  const model = (await createModel()).body;
  const body = { provider: "http", name: "ours", url: receiver.url, ...input };
  const made = await call<IntegrationWithSecret>("POST", `/models/${model.uid}/integrations/`, body);
  expect(made.status).toBe(201);
  return made.body;
}
const at = (uid: string) => `/models/integrations/${uid}/`;
const change = (uid: string, body: object, key = org.key) =>
  call<IntegrationResource & Record<string, string[]>>("PATCH", at(uid), body, key);
async function anItem(): Promise<{ dataset: string; item: ItemResource; items: ItemResource[] }> {
  const dataset = await pictures(org, 3);
  const path = `/datasets/${org.slug}/${dataset.slug}/items/?ordering=key`;
  const { results } = (await call<Page<ItemResource>>("GET", path)).body;
  return { dataset: dataset.uid, item: results[0]!, items: results };
}
const tryOn = (uid: string, item: string, key = org.key) =>
  call<TryResult>("POST", `${at(uid)}try/`, { dataset_item_uid: item }, key);
async function startRun(integration: string, dataset: string): Promise<RunResource> {
  const body = [{ dataset_uid: dataset, dataset_item_uids: [] }];
  const { body: runs } = await call<RunResource[]>("POST", `${at(integration)}predict/`, body);
  return runs[0]!;
}
const getRun = async (uid: string) => (await call<RunResource>("GET", `/models/runs/${uid}/`)).body;

describe("a model", () => {
  test("of the organization is made, changed and deleted by its admins; a public one by staff alone", async () => {
    const { status, body: own } = await createModel();
    expect([status, own.is_public]).toEqual([201, false]);
    const path = `/models/${own.uid}/`;
    expect((await call("PATCH", path, { name: "renamed" }, member.key)).status).toBe(403);
    expect((await call("PATCH", path, { name: "renamed" }, outsider.key)).status).toBe(404);
    expect((await call("PATCH", path, { name: "renamed" })).body).toMatchObject({ name: "renamed" });
    expect((await createModel({ is_public: true })).status).toBe(403);
    const open = await createModel({ is_public: true }, staff);
    expect(open.status).toBe(201);
    for (const key of [org.key, outsider.key]) {
      expect((await call("PATCH", `/models/${open.body.uid}/`, { name: "mine" }, key)).status).toBe(403);
      expect((await call("DELETE", `/models/${open.body.uid}/`, undefined, key)).status).toBe(403);
    }
    expect((await call("DELETE", `/models/${open.body.uid}/`, undefined, staff)).status).toBe(204);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", `${path}integrations/`)).status).toBe(404);
  });

  test("with a run under way is not deleted", async () => {
    const { dataset } = await anItem();
    const integration = await connect();
    const { modelId } = await prisma.integration.findUniqueOrThrow({ where: { uid: integration.uid } });
    const run = await startRun(integration.uid, dataset);
    const refused = { runs: ["A run uses it. Stop the run first."] };
    expect((await call("DELETE", at(integration.uid))).body).toEqual(refused);
    expect((await call("DELETE", `/models/${modelId}/`)).body).toEqual(refused);
    await call("POST", `/models/runs/${run.uid}/abort/`);
    expect((await call("DELETE", at(integration.uid))).status).toBe(204);
    expect((await call("GET", `/models/runs/${run.uid}/`)).status).toBe(404);
  });
});

describe("an integration", () => {
  test("has its secret in the first answer only, and its header's value in none", async () => {
    const header = { header_name: "Authorization", header_value: "Bearer abcdefghijklmnop" };
    const made = await connect(header);
    expect(made.secret).toMatch(/^whsec_/);
    const { modelId, secretSealed, headerSealed } = await prisma.integration.findUniqueOrThrow({
      where: { uid: made.uid },
    });
    const owner = `integration ${modelId} ${made.uid}`;
    expect([open(secretSealed ?? "", owner), open(headerSealed ?? "", owner)]).toEqual([
      made.secret,
      header.header_value,
    ]);
    const listed = await call<Page<IntegrationResource>>("GET", `/models/${modelId}/integrations/`);
    const text = JSON.stringify(listed.body);
    expect(text).toContain("Authorization");
    expect(text).not.toMatch(/whsec_|abcdefghijklmnop/);
  });

  test.each([
    [{ url: "http://10.0.0.1/predict" }, "url"],
    [{ url: "ftp://example.com" }, "url"],
    [{ header_name: "X-Service-Signature", header_value: "x" }, "header_name"],
    [{ header_name: "Content-Length", header_value: "1" }, "header_name"],
    [{ header_name: "two words", header_value: "1" }, "header_name"],
    [{ header_name: "X-Own", header_value: "a\r\nb" }, "header_value"],
    [{ header_name: "X-Own" }, "header_value"],
    [{ header_value: "x" }, "header_name"],
    [{ label_map: { car: 3 } }, "label_map"],
    [{ label_map: Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`l${n}`, "x"])) }, "label_map"],
  ])("is refused when it is made and when it is changed: %j", async (wrong, field) => {
    const model = (await createModel()).body;
    const body = { provider: "http", name: "ours", url: receiver.url, ...wrong };
    const made = await call("POST", `/models/${model.uid}/integrations/`, body);
    expect([made.status, Object.keys(made.body)]).toEqual([400, [field]]);
    const changed = await change((await connect()).uid, wrong);
    expect([changed.status, Object.keys(changed.body)]).toEqual([400, [field]]);
  });

  test("is changed by admins; the value of its header goes to no other server unless it is entered again", async () => {
    const { uid } = await connect({ header_name: "X-Own", header_value: "secret" });
    expect((await change(uid, { name: "x" }, member.key)).status).toBe(403);
    expect((await change(uid, { name: "x" }, outsider.key)).status).toBe(404);
    const elsewhere = await change(uid, { url: "https://example.com/predict" });
    expect(elsewhere.body).toEqual({
      header_value: ["The address is of another server: enter the value of the header again."],
    });
    expect((await change(uid, { url: `${receiver.url}/v2`, label_map: { a: "b" } })).body).toMatchObject({
      url: `${receiver.url}/v2`,
      header_name: "X-Own",
      label_map: { a: "b" },
    });
    expect((await change(uid, { header_name: "" })).body).toMatchObject({ header_name: "" });
    expect(await prisma.integration.findUniqueOrThrow({ where: { uid } })).toMatchObject({ headerSealed: null });
  });

  test("that is paused is asked by no run, is in no list of REST, and can be tried", async () => {
    const { uid } = await connect();
    const { item } = await anItem();
    expect((await change(uid, { is_active: false })).body.is_active).toBe(false);
    expect((await call("POST", `${at(uid)}predict/`, [])).status).toBe(404);
    expect((await createTrpcCaller(org).models.pipelines()).map((each) => each.uid)).not.toContain(uid);
    answer(aBox);
    expect((await tryOn(uid, item.uid)).body).toMatchObject({ error: null, predictions: [aBox] });
  });

  test("signs with its secret, for a day after a rotation also with the one before", async () => {
    const { uid, secret } = await connect({ header_name: "X-Own", header_value: "a secret of our own" });
    const { item } = await anItem();
    answer(aBox);
    await tryOn(uid, item.uid);
    const first = receiver.received.at(-1)!;
    const hmac = (key: string, text: string) => createHmac("sha256", key).update(text).digest("hex");
    expect(first.headers).toMatchObject({
      "x-service-signature": hmac(secret ?? "", first.body),
      "x-service-event": "predict",
      "x-own": "a secret of our own",
    });
    expect(JSON.parse(first.body)).toMatchObject({
      item: { uid: item.uid, key: item.key },
      labels: [],
      request_id: first.headers["webhook-id"],
    });
    const rotated = await call<IntegrationWithSecret>("POST", `${at(uid)}rotate-secret/`);
    expect([rotated.status, rotated.body.secret === secret]).toEqual([200, false]);
    await tryOn(uid, item.uid);
    const second = receiver.received.at(-1)!;
    expect(second.headers["x-service-signature"]).toBe(hmac(rotated.body.secret ?? "", second.body));
    expect(second.headers["x-service-signature-previous"]).toBe(hmac(secret ?? "", second.body));
    expect((await call("POST", `${at(uid)}rotate-secret/`, undefined, member.key)).status).toBe(403);
  });

  test("of the built-in model has no secret to rotate", async () => {
    const made = await connect({ provider: "builtin" });
    expect("secret" in made).toBe(false);
    expect((await call("POST", `${at(made.uid)}rotate-secret/`)).body).toEqual({
      provider: ["Only requests to an address are signed."],
    });
  });
});

describe("trying a model on an item", () => {
  test("shows what was sent, the answer, its shapes with the labels that they have here, and what was left out", async () => {
    const { uid } = await connect({
      header_name: "X-Own",
      header_value: "a secret of our own",
      label_map: { forklift: "truck", shadow: "" },
    });
    const { item } = await anItem();
    const far = { ...aBox, coordinates: { x: 60, y: 40, width: 20, height: 20 } };
    answer(aBox, { ...aBox, label: "shadow" }, { ...far, label: "pallet" });
    const { status, body } = await tryOn(uid, item.uid);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 200,
      error: null,
      predictions: [
        { ...aBox, label: "truck" },
        { ...far, label: "pallet", coordinates: { x: 60, y: 40, width: 4, height: 8 } },
      ],
      left_out: { shadow: 1 },
      clipped_count: 1,
    });
    expect(body.request_body).toMatchObject({ item: { uid: item.uid }, labels: ["truck"] });
    expect(JSON.parse(body.answer)).toMatchObject({ predictions: [{ label: "forklift" }, {}, {}] });
    expect(body.request_headers["X-Own"]).not.toContain("secret of our");
    expect(await prisma.prediction.count({ where: { itemId: item.uid } })).toBe(0);
  });

  test("names the field of the answer that is wrong", async () => {
    const { uid } = await connect();
    const { item } = await anItem();
    answer(aBox, { ...aBox, coordinates: { x: 1, y: 2, width: "3", height: 4 } });
    expect((await tryOn(uid, item.uid)).body).toMatchObject({
      status: 200,
      error: "predictions.1.coordinates.width: A valid number is required.",
      predictions: [],
    });
  });

  test("names a mask that is of a picture of another size", async () => {
    const { uid } = await connect();
    const { item } = await anItem();
    const coordinates = { size: [480, 640], box: [0, 0, 2, 2], counts: "04" };
    answer({ label: "forklift", type: "mask", coordinates, attributes: {} });
    expect((await tryOn(uid, item.uid)).body).toMatchObject({
      status: 200,
      error: "predictions.0.coordinates.size: The picture has the size [48, 64].",
      predictions: [],
    });
  });

  test("is for admins, with items that they see", async () => {
    const { uid } = await connect();
    const { item } = await anItem();
    expect((await tryOn(uid, item.uid, member.key)).status).toBe(403);
    expect((await tryOn(uid, item.uid, outsider.key)).status).toBe(404);
    const missing = await tryOn(uid, uuidv7());
    expect([missing.status, Object.keys(missing.body)]).toEqual([400, ["dataset_item_uid"]]);
  });
});

describe("a run whose model fails on some items", () => {
  test("is completed with the others, says why, and tries just those again", async () => {
    const { uid } = await connect();
    const { dataset, item } = await anItem();
    receiver.respondWith((received, response) => {
      const isBad = received.body.includes(item.uid);
      response.writeHead(isBad ? 500 : 200).end(JSON.stringify({ predictions: [aBox] }));
    });
    const run = await startRun(uid, dataset);
    await leaveOneAttempt(await jobIds({ runId: run.uid }));
    await work();
    expect(await getRun(run.uid)).toMatchObject({
      run_status: "completed",
      total_item_count: 3,
      done_item_count: 2,
      failed_item_count: 1,
    });
    const screens = createTrpcCaller(org);
    expect(await screens.runs.reasons({ uid: run.uid })).toEqual([{ error: "The provider answered 500.", count: 1 }]);
    const failed = await screens.runs.failures({ uid: run.uid, error: "The provider answered 500." });
    expect(failed.results).toEqual([{ uid: item.uid, key: item.key, error: "The provider answered 500." }]);
    expect((await screens.runs.failures({ uid: run.uid, error: "another" })).results).toEqual([]);
    const asked = receiver.received.length;
    answer({ ...aBox, attributes: { score: 0.75 } });
    expect((await call("POST", `/models/runs/${run.uid}/retry/`)).status).toBe(200);
    await work();
    expect(receiver.received.length).toBe(asked + 1);
    expect(await getRun(run.uid)).toMatchObject({
      run_status: "completed",
      done_item_count: 3,
      failed_item_count: 0,
    });
    expect(await screens.runs.reasons({ uid: run.uid })).toEqual([]);
    expect((await call("POST", `/models/runs/${run.uid}/retry/`)).status).toBe(400);
  });

  test("is tried again by itself while it has attempts", async () => {
    const { uid } = await connect();
    const { dataset } = await anItem();
    let answered = 0;
    receiver.respondWith((_received, response) => {
      response.writeHead(answered++ === 0 ? 503 : 200).end(JSON.stringify({ predictions: [] }));
    });
    const run = await startRun(uid, dataset);
    await work();
    expect(await getRun(run.uid)).toMatchObject({ run_status: "running", done_item_count: 2, failed_item_count: 1 });
  });
});

describe("the screens", () => {
  test("list models with their last run, its usual time and the failures of a week, to who sees them", async () => {
    const made = await connect();
    const { modelId } = await prisma.integration.findUniqueOrThrow({ where: { uid: made.uid } });
    const { dataset, items } = await anItem();
    answer({ ...aBox, attributes: { score: 0.75 } }, { ...aBox, label: "pallet", attributes: { confidence: 1 } });
    const run = await startRun(made.uid, dataset);
    await work();
    await prisma.run.update({ where: { uid: run.uid }, data: { failedCount: 2 } });
    const screens = createTrpcCaller(org);
    const { name } = await prisma.model.findUniqueOrThrow({ where: { uid: modelId } });
    const [listed, ...others] = (await screens.models.overview({ search: name })).results;
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      uid: modelId,
      providers: ["http"],
      active_count: 1,
      last_run_uid: run.uid,
      last_run_status: "completed",
      p50_ms: expect.any(Number),
      failed_count: 2,
    });
    const shown = await screens.models.page({ model_uid: modelId });
    expect([shown.is_own, shown.integrations.map(({ uid }) => uid)]).toEqual([true, [made.uid]]);
    const [overview] = (await screens.runs.overview({ model: modelId, status: "completed" })).results;
    expect(overview).toMatchObject({ uid: run.uid, model_name: name, done_count: 3, chosen_count: null });
    expect(await screens.runs.overviewOf({ uid: run.uid })).toEqual(overview);
    expect((await screens.runs.overview({ model: modelId, status: "failed" })).results).toEqual([]);
    const body = { name: unique("p"), task_type: "image-annotation", datasets: [dataset] };
    const project = (await call<{ uid: string }>("POST", "/projects/", body)).body.uid;
    expect((await screens.runs.overview({ project })).results).toEqual([overview]);
    expect((await screens.runs.overview({ project: uuidv7() })).results).toEqual([]);
    expect(await screens.runs.histogram({ uid: run.uid })).toEqual({
      labels: [
        { label: "forklift", count: 3 },
        { label: "pallet", count: 3 },
      ],
      scores: [0, 0, 0, 0, 0, 0, 0, 0, 0, 3],
      empty: 0,
    });
    const page = async (filters: object) =>
      (await screens.runs.predictions({ uid: run.uid, ...filters })).results.map(({ uid }) => uid);
    expect(await page({})).toEqual(items.map(({ uid }) => uid).toSorted());
    expect(await page({ label: "pallet", min_score: 0.9 })).toHaveLength(3);
    expect(await page({ label: "nothing" })).toEqual([]);
    const [first] = (await screens.runs.predictions({ uid: run.uid, limit: 1 })).results;
    expect(first).toMatchObject({ labels: ["forklift", "pallet"], max_score: 1, count: 2 });

    const foreign = createTrpcCaller(outsider);
    expect((await foreign.models.overview({ search: name })).results).toEqual([]);
    await expect(foreign.models.page({ model_uid: modelId })).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (const read of [foreign.runs.overviewOf, foreign.runs.reasons, foreign.runs.failures, foreign.runs.predictions])
      await expect(read({ uid: run.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("connect a model with its address in one step, or neither", async () => {
    const { models } = createTrpcCaller(org);
    const name = unique("model");
    const input = { name, model_type_name: "detector", url: `${receiver.url}/predict`, label_map: { a: "b" } };
    await expect(models.connect({ ...input, url: "http://10.0.0.1" })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    expect((await models.overview({ search: name })).results).toEqual([]);
    const { model, integration } = await models.connect(input);
    expect(integration).toMatchObject({ provider_name: "http", url: input.url, secret: expect.any(String) });
    expect((await models.page({ model_uid: model.uid })).integrations).toMatchObject([{ label_map: { a: "b" } }]);
    await models.updateIntegration({ integration_uid: integration.uid, change: { is_active: false } });
    expect((await models.overview({ search: name })).results).toMatchObject([{ active_count: 0 }]);
    await models.update({ model_uid: model.uid, change: { description: "Finds forklifts." } });
    expect((await models.rotateSecret({ integration_uid: integration.uid })).secret).not.toBe(integration.secret);
    await models.delete({ model_uid: model.uid });
    await expect(models.page({ model_uid: model.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("check the address of a model as webhooks' are", async () => {
    const { checkUrl } = createTrpcCaller(org).models;
    expect(await checkUrl({ url: receiver.url })).toEqual({ result: "accepted", message: "" });
    expect(await checkUrl({ url: "http://10.0.0.1" })).toMatchObject({ result: "refused" });
  });
});
