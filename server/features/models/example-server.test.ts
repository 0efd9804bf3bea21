import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import type { Server } from "node:http";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { exampleServer } from "@/components/models/example-server";
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
let model: ChildProcess | null = null;
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
  model?.kill();
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

test("the guide shows the server that the page offers", () => {
  const [shown, ...others] = listFences("docs/models.md").filter(({ info }) => info === "python");
  expect(others).toEqual([]);
  expect(`${shown?.text}\n`.trimEnd()).toBe(exampleServer.trimEnd());
});

test.runIf(hasPython)(
  "the server reads the item, answers Muster, and refuses who does not know the secret",
  async () => {
    const dataset = await pictures(org, 1);
    const { results } = (await call<Page<ItemResource>>("GET", `/datasets/${org.slug}/${dataset.slug}/items/`)).body;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { models } = createTrpcCaller(org);
    const made = await models.connect({
      name: unique("model"),
      model_type_name: "detector",
      url,
      label_map: { car: "car", shadow: "" },
    });
    const file = path.join(folder, "model_server.py");
    fs.writeFileSync(file, exampleServer);
    model = spawn("python3", [file], {
      env: { ...process.env, MUSTER_MODEL_SECRET: made.integration.secret, PORT: String(port) },
      stdio: "ignore",
    });
    await vi.waitFor(async () => expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(401), {
      timeout: 30_000,
      interval: 100,
    });
    const origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
    const tryOn = () =>
      underSettings({ PUBLIC_URL: origin }, () =>
        models.tryOn({ integration_uid: made.integration.uid, dataset_item_uid: results[0]?.uid ?? "" }),
      );
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
