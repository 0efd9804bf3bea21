import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ItemResource } from "@/server/features/datasets/resource";
import type { IntegrationResource, IntegrationWithSecret } from "@/server/features/models/resource";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";

let org: TestOrganization;
let outsider: TestOrganization;
let receiver: Receiver;
let item: ItemResource;
let integration: IntegrationWithSecret;
let restore = () => {};
const call = requestsWith(() => org.key);
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  [org, outsider, receiver] = await Promise.all([makeOrganization(), makeOrganization(), startReceiver()]);
  const dataset = await pictures(org, 1);
  const { results } = (await call<Page<ItemResource>>("GET", `/datasets/${org.slug}/${dataset.slug}/items/`)).body;
  item = results[0]!;
  ({ integration } = await connect(["point", "box"]));
});
afterAll(async () => {
  restore();
  await receiver.close();
});

const connect = (prompts: ("point" | "box" | "text")[]) =>
  createTrpcCaller(org).models.connect({
    name: unique("model"),
    model_type_name: "segmentation",
    url: receiver.url,
    label_map: { thing: "forklift", shadow: "" },
    prompts,
  });
const aBox = {
  label: "thing",
  type: "bbox",
  coordinates: { x: 1, y: 2, width: 3, height: 4 },
  attributes: { score: 0.5 },
};
const answer = (...predictions: object[]): void =>
  receiver.respondWith((_received, response) => response.end(JSON.stringify({ predictions })));

type Input = Parameters<ReturnType<typeof createTrpcCaller>["models"]["prompt"]>[0];
const ask = (input: Partial<Input> = {}, of = org, by = of.owner) =>
  createTrpcCaller(of, by).models.prompt({
    integration_uid: integration.uid,
    dataset_item_uid: item.uid,
    request_id: randomUUID(),
    prompt: { points: [[3, 4, 1]] },
    ...input,
  });
const issueAt = (path: readonly (string | number)[]) => ({ cause: { options: { issues: [{ path }] } } });

test("a member asks with points and a box, in a signed request that has them with the label that is drawn", async () => {
  answer(aBox, { ...aBox, label: "shadow" });
  const member = await addMember(org);
  const request_id = randomUUID();
  const prompt = {
    points: [
      [3, 4, 1],
      [5, 6, 0],
    ] satisfies [number, number, 0 | 1][],
    box: [1, 2, 3, 4] as [number, number, number, number],
  };
  const answered = await ask({ request_id, labels: ["pallet"], prompt }, org, member);
  expect(answered).toMatchObject({ request_id, error: null, predictions: [{ ...aBox, label: "forklift" }] });
  const { body, headers } = receiver.received.at(-1)!;
  expect(JSON.parse(body)).toMatchObject({ item: { uid: item.uid }, prompt, labels: ["pallet"], request_id });
  expect(headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/);
  expect(body).not.toContain(org.owner.uid);
});

test("an answer of which nothing is in the picture is no answer of nothing: the mask of another size is named, or that all is outside", async () => {
  const mask = { label: "thing", type: "mask", attributes: {} };
  const ofSize = (height: number, width: number) => ({
    ...mask,
    coordinates: { size: [height, width], box: [0, 0, 2, 2], counts: "04" },
  });
  answer(aBox, ofSize(48, 64), { ...ofSize(24, 32), label: "shadow" }, ofSize(24, 32));
  expect(await ask()).toMatchObject({
    error: "predictions.3.coordinates.size: The picture has the size [48, 64].",
    predictions: [],
  });
  answer(ofSize(48, 64), { ...ofSize(24, 32), label: "shadow" });
  expect(await ask()).toMatchObject({ error: null, predictions: [{ type: "mask", label: "forklift" }] });
  answer({ ...aBox, coordinates: { x: 100, y: 2, width: 3, height: 4 } });
  const error = "All that the model answered is outside of the picture.";
  expect(await ask()).toMatchObject({ error, predictions: [] });
  answer();
  expect(await ask()).toMatchObject({ error: null, predictions: [] });
});

test("what integrations take is said by their lists, and changed by admins", async () => {
  const { integration: made, model } = await connect(["text"]);
  expect(made.prompts).toEqual(["text"]);
  const path = `/models/integrations/${made.uid}/`;
  expect((await call<IntegrationResource>("PATCH", path, { prompts: ["box", "box"] })).body.prompts).toEqual(["box"]);
  expect(Object.keys((await call("PATCH", path, { prompts: ["voice"] })).body)).toEqual(["prompts"]);
  const listed = await createTrpcCaller(org).models.pipelines();
  expect(listed.find(({ uid }) => uid === made.uid)?.prompts).toEqual(["box"]);
  const builtin = { provider: "builtin", name: "ours", prompts: ["point"] };
  const refused = await call("POST", `/models/${model.uid}/integrations/`, builtin);
  expect(refused.body).toEqual({ prompts: ["The built-in model takes no prompts."] });
});

test.each<[Partial<Input>, (string | number)[]]>([
  [{ prompt: { text: "the pallet" } }, ["prompt", "text"]],
  [
    {
      prompt: {
        points: [
          [3, 4, 1],
          [-1, 4, 1],
        ],
      },
    },
    ["prompt", "points", 1],
  ],
  [{ prompt: { points: [[3, 1e6, 0]] } }, ["prompt", "points", 0]],
  [{ prompt: { box: [0, 0, 1e6, 2] } }, ["prompt", "box"]],
])("refuses %j at its place, without asking", async (input, path) => {
  const asked = receiver.received.length;
  await expect(ask(input)).rejects.toMatchObject(issueAt(path));
  expect(receiver.received).toHaveLength(asked);
});

test.each<Input["prompt"]>([
  {},
  { points: [] },
  { box: [0, 0, 0, 5] },
  { points: [[Number.NaN, 1, 1]] },
  { text: " " },
])("refuses the prompt %j, which means nothing", async (prompt) => {
  await expect(ask({ prompt })).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("other organizations ask no model and about no item of it, and nobody asks a paused one", async () => {
  await expect(ask({}, outsider)).rejects.toMatchObject(issueAt(["integration_uid"]));
  const shared = await createTrpcCaller(outsider).models.connect({
    name: unique("model"),
    model_type_name: "segmentation",
    url: receiver.url,
    prompts: ["point"],
  });
  await expect(ask({ integration_uid: shared.integration.uid }, outsider)).rejects.toMatchObject(
    issueAt(["dataset_item_uid"]),
  );
  const { integration: paused } = await connect(["point"]);
  await call("PATCH", `/models/integrations/${paused.uid}/`, { is_active: false });
  await expect(ask({ integration_uid: paused.uid })).rejects.toMatchObject(issueAt(["integration_uid"]));
});

test("what a model does wrong is said in the answer", async () => {
  receiver.respondWith((_received, response) => response.writeHead(500).end());
  expect(await ask()).toMatchObject({ error: "The provider answered 500.", predictions: [] });
  const mask = { size: [1_000_000, 1], counts: "0", box: [0, 0, 1, 1] };
  answer({ label: "thing", type: "mask", coordinates: mask });
  expect((await ask()).error).toMatch(/^predictions\.0\.coordinates\.size\.0: /);
});

test("a person asks twice at the same time, and so often a minute", async () => {
  const waiting: ServerResponse[] = [];
  receiver.respondWith((_received, response) => void waiting.push(response));
  await underSettings({ RATE_LIMITS: { prompt_minute: 3 } }, async () => {
    const person = await addMember(org);
    const asked = [ask({}, org, person), ask({}, org, person)];
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    await expect(ask({}, org, person)).rejects.toMatchObject({
      code: "TOO_MANY_REQUESTS",
      message: "The model is still answering earlier questions of yours.",
    });
    for (const response of waiting) response.end('{"predictions": []}');
    expect((await Promise.all(asked)).map(({ error }) => error)).toEqual([null, null]);
    answer(aBox);
    expect((await ask({}, org, person)).predictions).toHaveLength(1);
    await expect(ask({}, org, person)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  });
});
