import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import type { Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exampleServer, promptServer } from "@/components/models/example-server";
import { isInMask, readMask } from "@/domain/masks/mask-figure";
import type { ModelPrompt } from "@/domain/models/prompt";
import type { ItemResource } from "@/server/features/datasets/resource";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { compose } from "@/server/testing/composition";
import { pictures } from "@/server/testing/datasets";
import { listFences } from "@/server/testing/documents/fences";
import { makeOrganization, unique, type TestOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { createTrpcCaller, requestsWith } from "@/server/testing/requests";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";

/** The server that `docs/models.md` and the page that connects a model offer, where there is a Python. */

const hasPython = spawnSync("python3", ["--version"]).status === 0;

let web: Server;
const running: ChildProcess[] = [];
let folder: string;
let org: TestOrganization;
let restore = () => {};
beforeAll(async () => {
  restore = configureEgress({ allow: ["127.0.0.0/8"] });
  ({ server: web } = createWebServer(await compose("rest-app"), async (_request, response) => void response.end()));
  await listenOnLoopback(web);
  org = await makeOrganization();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "model-"));
});
afterAll(() => {
  restore();
  web.close();
  for (const server of running) server.kill();
  fs.rmSync(folder, { recursive: true });
});
const call = requestsWith(() => org.key);

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

test("the guide shows the servers that the page offers", () => {
  const shown = listFences("docs/models.md").filter(({ info }) => info === "python");
  expect(shown.map(({ text }) => text.trimEnd())).toEqual([exampleServer.trimEnd(), promptServer.trimEnd()]);
});

/** Runs a server, and waits until it refuses who does not know the secret. */
async function run(source: string, port: number, secret = ""): Promise<void> {
  const file = path.join(folder, `${port}.py`);
  fs.writeFileSync(file, source);
  const env = { ...process.env, MUSTER_MODEL_SECRET: secret, PORT: String(port) };
  running.push(spawn("python3", [file], { env, stdio: "ignore" }));
  const ask = () => fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
  await vi.waitFor(async () => expect((await ask()).status).toBe(401), { timeout: 60_000, interval: 100 });
}

/** An item of a new dataset, and what makes links that the servers can follow. */
async function anItem() {
  const dataset = await pictures(org, 1);
  const { results } = (await call<Page<ItemResource>>("GET", `/datasets/${org.slug}/${dataset.slug}/items/`)).body;
  const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const reachable = <T>(work: () => Promise<T>): Promise<T> => underSettings({ PUBLIC_URL: origin }, work);
  return { item: results[0]?.uid ?? "", metadata: results[0]?.metadata ?? {}, reachable };
}

test.runIf(hasPython)("the server that segments answers with the pixels that a prompt means", async () => {
  const { item, metadata, reachable } = await anItem();
  const port = await freePort();
  const { models } = createTrpcCaller(org);
  const made = await models.connect({
    name: unique("model"),
    model_type_name: "segmentation",
    url: `http://127.0.0.1:${port}/`,
    prompts: ["point", "box"],
  });
  await run(promptServer, port, made.integration.secret);
  const ask = (prompt: ModelPrompt) =>
    reachable(() =>
      models.prompt({
        integration_uid: made.integration.uid,
        dataset_item_uid: item,
        request_id: randomUUID(),
        labels: ["pallet"],
        prompt,
      }),
    );
  const answer = await ask({ box: [3, 4, 5, 6] });
  expect(answer).toMatchObject({ error: null, predictions: [{ label: "pallet", type: "mask" }] });
  const [first] = answer.predictions;
  const figure = first?.type === "mask" ? readMask(first.coordinates) : null;
  expect(figure).toMatchObject({ x: 3, y: 4, width: 5, height: 6, area: 30 });
  expect(first?.coordinates).toMatchObject({ size: [metadata["height"], metadata["width"]] });
  const [pointed] = (await ask({ points: [[20, 20, 1]] })).predictions;
  const around = pointed?.type === "mask" ? readMask(pointed.coordinates) : null;
  expect(around && isInMask(around, 20, 20)).toBe(true);
});

test.runIf(hasPython)(
  "the server reads the item, answers Muster, and refuses who does not know the secret",
  async () => {
    const { item, reachable } = await anItem();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { models } = createTrpcCaller(org);
    const made = await models.connect({
      name: unique("model"),
      model_type_name: "detector",
      url,
      label_map: { car: "car", shadow: "" },
    });
    await run(exampleServer, port, made.integration.secret);
    const tryOn = () =>
      reachable(() => models.tryOn({ integration_uid: made.integration.uid, dataset_item_uid: item }));
    expect(await tryOn()).toMatchObject({
      status: 200,
      error: null,
      predictions: [
        {
          label: "car",
          type: "bbox",
          coordinates: { x: 10, y: 10, width: 20, height: 15 },
          attributes: { score: 0.5 },
        },
      ],
    });
    await models.rotateSecret({ integration_uid: made.integration.uid });
    expect(await tryOn()).toMatchObject({ status: 401, error: "The provider answered 401." });
  },
);
