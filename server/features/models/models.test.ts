import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import { detectStandout } from "@/server/features/models/baseline";
import * as modelJobs from "@/server/features/models/jobs";
import type {
  IntegrationResource,
  ModelResource,
  PredictionGroup,
  RunResource,
} from "@/server/features/models/resource";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { uuidv7 } from "@/server/platform/uid";
import { makeDataset, pictures, readItems, uploadTo } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { jobIds, leaveOneAttempt } from "@/server/testing/queued-jobs";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let staff: string;
let receiver: Receiver;
let restore = () => {};
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  staff = (await addMember(org, "admin", { staff: true })).key;
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const call = requestsWith(() => org.key);
const work = () => runJobs([modelJobs.run]);
const listItems = async (dataset: DatasetResource) =>
  (await call<Page<ItemResource>>("GET", `/datasets/${org.slug}/${dataset.slug}/items/?ordering=key`)).body.results;
const start = (integration: string, body: unknown, key = org.key) =>
  call<RunResource[]>("POST", `/models/integrations/${integration}/predict/`, body, key);
const getRun = async (uid: string) => (await call<RunResource>("GET", `/models/runs/${uid}/`)).body;
const listPredictions = async (uid: string, query = "") =>
  (await call<PredictionGroup[]>("GET", `/models/runs/${uid}/predictions/${query}`)).body as PredictionGroup[];

const aBox = { label: "car", type: "bbox", coordinates: { x: 1, y: 2, width: 3, height: 4 }, attributes: {} };
const toAnswer = (...predictions: object[]): string => JSON.stringify({ predictions });

/** A dark picture with a bright box. */
const withBox = (left: number, top: number, width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width: 100, height: 80, channels: 3, background: "#101010" } })
    .composite([{ input: { create: { width, height, channels: 3, background: "#f0f0f0" } }, left, top }])
    .png()
    .toBuffer();

async function getBuiltinIntegration(): Promise<string> {
  const { results } = (await call<Page<ModelResource>>("GET", "/models/")).body;
  const model = results.find(({ name }) => name === "Standout");
  expect(model).toMatchObject({ model_type_name: "object-detection", is_public: true });
  const [integration] = (await call<Page<IntegrationResource>>("GET", `/models/${model?.uid}/integrations/`)).body
    .results;
  expect(integration).toMatchObject({
    provider_name: "builtin",
    provider_config_type: "batch",
    provider_config_name: "In the house",
  });
  return integration?.uid ?? "";
}

/** Creates a model of the organization whose provider is the receiver. */
async function createHttpIntegration(): Promise<string> {
  const model = await call<ModelResource>(
    "POST",
    "/models/",
    { name: unique("model"), model_type_name: "detector" },
    staff,
  );
  expect([model.status, model.body.is_public]).toEqual([201, false]);
  const added = await call<IntegrationResource>(
    "POST",
    `/models/${model.body.uid}/integrations/`,
    { provider: "http", name: "ours", url: receiver.url, config_type: "real-time" },
    staff,
  );
  expect([added.status, added.body.provider_config_type]).toEqual([201, "real-time"]);
  return added.body.uid;
}

describe("a run", () => {
  test("applies the built-in model to a whole dataset, in the background, and notifies subscribers", async () => {
    const hook = await call("POST", "/webhooks/", {
      target_url: "https://example.com/hook",
      events: ["auto_label.completed", "auto_label.failed"],
    });
    const dataset = await makeDataset(org);
    await uploadTo(org, dataset, { "a.png": await withBox(20, 16, 40, 32), "b.png": await withBox(0, 0, 10, 10) });
    await readItems();
    const started = await start(await getBuiltinIntegration(), [{ dataset_uid: dataset.uid, dataset_item_uids: [] }]);
    const [run] = started.body as RunResource[];
    expect([started.status, run]).toMatchObject([
      202,
      { run_status: "pending", type: "full", dataset: [{ dataset_uid: dataset.uid, dataset_item_uids: [] }] },
    ]);
    await work();
    expect(await getRun(run?.uid ?? "")).toMatchObject({
      run_status: "completed",
      total_item_count: 2,
      done_item_count: 2,
    });
    const [a, b] = await listItems(dataset);
    const groups = await listPredictions(run?.uid ?? "");
    expect(groups.find(({ dataset_item_uid }) => dataset_item_uid === a?.uid)).toEqual({
      dataset_uid: dataset.uid,
      dataset_item_uid: a?.uid,
      predictions: {
        nodes: [
          {
            uid: expect.any(String),
            annotation: {
              task_name: "Standout",
              object: "object",
              data: {
                type: "bbox",
                coordinates: { x: 20, y: 16, width: 40, height: 32 },
                attributes: { confidence: 1 },
              },
            },
            project_index: 0,
            status: "submitted",
            annotator: null,
            reviewer: null,
            children: [],
          },
        ],
      },
    });
    expect(await listPredictions(run?.uid ?? "", `?dataset_item_uid=${b?.uid}`)).toHaveLength(1);
    expect(await listPredictions(run?.uid ?? "", `?dataset_uid=${uuidv7()}`)).toEqual([]);
    const [delivery] = await prisma.webhookDelivery.findMany({ where: { subscriptionId: String(hook.body.uid) } });
    expect(delivery?.payload).toEqual({ event: "auto_label.completed", job_uid: run?.uid, status: "completed" });
  });

  test("clips what sticks out of a picture, leaves out what is beside it, and counts both", async () => {
    const dataset = await pictures(org, 2);
    const predicted = (x: number, width: number) => ({
      label: "car",
      type: "bbox",
      coordinates: { x, y: 0, width, height: 10 },
      attributes: {},
    });
    receiver.respondWith((_received, response) =>
      response.end(JSON.stringify({ predictions: [predicted(-20, 30), predicted(5, 10), predicted(70, 10)] })),
    );
    const [run] = (await start(await createHttpIntegration(), [{ dataset_uid: dataset.uid, dataset_item_uids: [] }]))
      .body as RunResource[];
    expect(run?.clipped_prediction_count).toBe(0);
    await work();
    expect(await getRun(run?.uid ?? "")).toMatchObject({ run_status: "completed", clipped_prediction_count: 4 });
    for (const { predictions } of await listPredictions(run?.uid ?? ""))
      expect(predictions.nodes.map(({ annotation }) => annotation.data.coordinates)).toEqual([
        predicted(0, 10).coordinates,
        predicted(5, 10).coordinates,
      ]);
    const [shown] = (await createTrpcCaller(org).datasets.runs({ dataset: dataset.uid, limit: 10 })).results;
    expect(shown?.clipped_count).toBe(4);
  });

  test("of some items calls a provider at its address, and stores its predictions", async () => {
    const dataset = await pictures(org, 2);
    const [item, other] = await listItems(dataset);
    receiver.respondWith((_received, response) =>
      response.end(
        JSON.stringify({
          predictions: [
            {
              label: "car",
              type: "bbox",
              coordinates: { x: 1, y: 2, width: 3, height: 4 },
              attributes: { score: 0.9 },
            },
          ],
        }),
      ),
    );
    const integration = await createHttpIntegration();
    const [run] = (await start(integration, [{ dataset_uid: dataset.uid, dataset_item_uids: [item?.uid] }]))
      .body as RunResource[];
    expect(run?.type).toBe("partial");
    await work();
    const [group, ...more] = await listPredictions(run?.uid ?? "");
    expect([group?.dataset_item_uid, group?.predictions.nodes[0]?.annotation.object, more.length]).toEqual([
      item?.uid,
      "car",
      0,
    ]);
    const requested = JSON.parse(receiver.received.at(-1)?.body ?? "{}") as { item: { data_url: string } };
    expect(requested).toMatchObject({
      dataset_uid: dataset.uid,
      item: { uid: item?.uid, key: item?.key, metadata: item?.metadata },
    });
    expect(requested.item.data_url).toMatch(/^http/);
    const found = async (query: string) =>
      (await call<Page<RunResource>>("GET", `/models/runs/?${query}`)).body.results.map(({ uid }) => uid);
    expect(await found(`dataset_item_uid=${item?.uid}`)).toEqual([run?.uid]);
    expect(await found(`dataset_item_uid=${other?.uid}`)).toEqual([]);
    expect(await found(`integration_uid=${integration}&run_status=completed&dataset_uid=${dataset.uid}`)).toEqual([
      run?.uid,
    ]);
    expect(await found("integration_uid=nonsense")).toEqual([]);
  });

  test.each([
    ["The provider answered 500.", 500, "no"],
    ["The provider's answer is not JSON.", 200, "<html>"],
    ["The provider answered 302.", 302, ""],
    ['The provider\'s answer is no object such as {"predictions": []}.', 200, "[]"],
    ["predictions: This field is required.", 200, "{}"],
    [
      'predictions.0.type: "blob" is not a valid choice. Choices: bbox, polygon, polyline, keypoints, mask, cuboid, classification.',
      200,
      '{"predictions":[{"label":"x","type":"blob"}]}',
    ],
    [
      "predictions.1.coordinates.width: This field is required.",
      200,
      toAnswer(aBox, { ...aBox, coordinates: { x: 1, y: 2, height: 4 } }),
    ],
    [
      "predictions.0.attributes.score: A score is between 0 and 1. (and 1 more)",
      200,
      toAnswer({ ...aBox, attributes: { score: 7 } }, { ...aBox, attributes: { confidence: -1 } }),
    ],
    [
      "predictions: Ensure this field has no more than 10000 elements.",
      200,
      toAnswer(...Array.from({ length: 10_001 }, () => aBox)),
    ],
    ["The provider's answer is larger than 8 MiB.", 200, `{"predictions":[]${" ".repeat(8 * 1024 * 1024)}}`],
  ])("reports why its provider failed: %s", async (message, status, body) => {
    const dataset = await pictures(org, 1);
    receiver.respondWith((_received, response) => response.writeHead(status).end(body));
    const [run] = (await start(await createHttpIntegration(), [{ dataset_uid: dataset.uid, dataset_item_uids: [] }]))
      .body as RunResource[];
    await leaveOneAttempt(await jobIds({ runId: run?.uid }));
    await work();
    expect(await getRun(run?.uid ?? "")).toMatchObject({ run_status: "failed", error_message: message });
  });

  test("is refused for a dataset of another organization and for items of another dataset", async () => {
    const integration = await getBuiltinIntegration();
    const other = await makeOrganization();
    const [ownDataset, otherDataset] = [await pictures(org, 1), await makeDataset(other)];
    const foreign = await start(integration, [{ dataset_uid: otherDataset.uid, dataset_item_uids: [] }]);
    expect([foreign.status, foreign.body]).toEqual([
      400,
      { dataset_uid: [`0: Invalid pk "${otherDataset.uid}" - object does not exist.`] },
    ]);
    const stray = uuidv7();
    expect((await start(integration, [{ dataset_uid: ownDataset.uid, dataset_item_uids: [stray] }])).body).toEqual({
      dataset_item_uids: [`0: "${stray}" is not an item of the dataset.`],
    });
    expect((await start(integration, [])).status).toBe(400);
    expect((await start(integration, {})).body).toEqual({ non_field_errors: [expect.any(String)] });
    expect((await start(integration, [{ dataset_uid: ownDataset.uid }])).body).toEqual({
      non_field_errors: ["0.dataset_item_uids: This field is required."],
    });
    expect((await start(uuidv7(), [{ dataset_uid: ownDataset.uid, dataset_item_uids: [] }])).status).toBe(404);
    expect(
      (
        await start(
          await createHttpIntegration(),
          [{ dataset_uid: otherDataset.uid, dataset_item_uids: [] }],
          other.key,
        )
      ).status,
    ).toBe(404);
  });
});

describe("inference on one item", () => {
  test("returns the predictions, or 503 when the provider fails", async () => {
    const dataset = await pictures(org, 1);
    const [item] = await listItems(dataset);
    const body = { integration_uid: await getBuiltinIntegration(), dataset_item_uid: item?.uid };
    const response = await call<PredictionGroup>("POST", "/inference/invoke/", body);
    // A picture of one color has no region that stands out.
    expect([response.status, response.body]).toEqual([
      200,
      { dataset_uid: dataset.uid, dataset_item_uid: item?.uid, predictions: { nodes: [] } },
    ]);
    expect(
      Object.keys((await call("POST", "/inference/invoke/", { ...body, dataset_item_uid: uuidv7() })).body),
    ).toEqual(["dataset_item_uid"]);
    expect(
      Object.keys((await call("POST", "/inference/invoke/", { ...body, integration_uid: uuidv7() })).body),
    ).toEqual(["integration_uid"]);
    receiver.respondWith((_received, response) => response.writeHead(500).end());
    const down = await call("POST", "/inference/invoke/", { ...body, integration_uid: await createHttpIntegration() });
    expect([down.status, down.body]).toEqual([503, { detail: "The provider answered 500." }]);
    expect(down.headers.get("retry-after")).toMatch(/^[1-9]/);
  });
});

test("the built-in model is deterministic", async () => {
  const image = await withBox(10, 8, 20, 16);
  expect(await detectStandout(image)).toEqual(await detectStandout(image));
});
