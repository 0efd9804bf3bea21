import type { APIRequestContext, Page } from "@playwright/test";
import { writeMcap } from "../engine/testing/write-mcap";
import { expect, live, test, unique, type Api } from "./fixtures";
import { uploadRecording } from "./recording-files";

const topic = "/motor/temp";
const start = BigInt(Date.UTC(2026, 1, 1, 10)) * 1_000_000n;

/** Ten messages a second of ROS 2, of a motor that warms up and cools down again and again. */
async function warmUps(messages: number): Promise<Buffer> {
  const payload = (n: number) => {
    const bytes = Buffer.alloc(12);
    bytes[1] = 1;
    bytes.writeDoubleLE(60 + 40 * Math.sin(n / 20), 4);
    return bytes;
  };
  return writeMcap(
    [
      {
        topic,
        messageEncoding: "cdr",
        schemaName: "std_msgs/msg/Float64",
        schemaEncoding: "ros2msg",
        schema: "float64 data",
      },
    ],
    Array.from({ length: messages }, (_, n) => ({ topic, time: start + BigInt(n) * 100_000_000n, data: payload(n) })),
  );
}

const countHits = async (api: Api, value: number): Promise<number> => {
  const condition = { type: "threshold", topic, field: "data", operator: "gt", value };
  return (await api.post<{ hit_count: number }>("/fleet/rules/preview/", { condition })).hit_count;
};

/** Uploads a recording of the motor, and waits until its signals can be read. */
async function uploadMotor(api: Api, request: APIRequestContext): Promise<void> {
  await uploadRecording(api, request, { bytes: await warmUps(3_000), device: unique("arm"), name: "Warm-ups" });
  const ask = { sql: `select count(*) from "${topic}"` };
  const countRows = () =>
    api.post<{ rows: unknown[][] }>("/fleet/signals/query/", ask).then(
      ({ rows }) => rows[0]?.[0],
      () => 0,
    );
  await expect.poll(countRows, { timeout: 100_000, intervals: [500] }).toBe(3_000);
}

/** Begins a rule about the motor. Resolves to its preview. */
async function beginRule(page: Page, value: string) {
  await page.goto("/rules/new");
  await live(page);
  await page.getByRole("combobox", { name: "Topic" }).fill("/motor");
  await page.getByRole("option", { name: /\/motor\/temp/ }).click();
  await page.getByRole("combobox", { name: "Field" }).click();
  await page.getByRole("option", { name: /data.*p50/ }).click();
  await page.getByRole("textbox", { name: "Value", exact: true }).fill(value);
  const preview = page.getByRole("region", { name: "Preview" });
  return { preview, summary: preview.getByText(/^Triggers \d+ times? on 1 of 1 device/) };
}

/** What a page and its threads ask for about previews from now on, with the answers, for the message of a failure. */
function followThread(page: Page): string[] {
  const asked: string[] = [];
  const isAbout = (url: string) => /\/media\/signals\/|rules\.preview|\/engine\//.test(url);
  page.on("response", (answer) => {
    if (isAbout(answer.url())) asked.push(`${answer.status()} ${answer.url()}`);
  });
  page.on("requestfailed", (sent) => {
    if (isAbout(sent.url())) asked.push(`${sent.failure()?.errorText ?? "failed"} ${sent.url()}`);
  });
  page.on("console", (line) => asked.push(`console: ${line.text()}`));
  page.on("worker", (thread) => asked.push(`thread: ${thread.url()}`));
  return asked;
}

/** Waits until the page has computed a preview itself, which it does as soon as its thread has read the file. */
async function waitUntilComputed(page: Page, asked: readonly string[]): Promise<void> {
  await page
    .waitForFunction(() => performance.getEntriesByName("rule preview").length > 0, undefined)
    .catch((error: unknown) => {
      throw new Error(`The page computed no preview. It asked for:\n${asked.join("\n")}`, { cause: error });
    });
}

test("a slider's previews are computed in the page once it has the columns, and are those of the server", async ({
  api,
  page,
  request,
}) => {
  await uploadMotor(api, request);
  const followed = followThread(page);
  const asked: string[] = [];
  page.on("request", (sent) => {
    if (/rules\.preview\b/.test(sent.url())) asked.push(sent.url());
  });
  const read = page.waitForResponse(/\/media\/signals\//);
  const { preview, summary } = await beginRule(page, "80");
  await expect(summary).toContainText(`Triggers ${await countHits(api, 80)} times`);
  expect((await read).headers()["cache-control"]).toContain("immutable");
  await waitUntilComputed(page, followed);
  const before = asked.length;
  await preview.getByRole("slider", { name: "Value" }).press("ArrowLeft");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("99.9");
  await expect(summary).toContainText(`Triggers ${await countHits(api, 99.9)} times`);
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("20.5");
  await expect(summary).toContainText(`Triggers ${await countHits(api, 20.5)} times`);
  expect(await countHits(api, 20.5)).not.toBe(await countHits(api, 99.9));
  expect(asked.length).toBe(before);
});

test("a file that could not be read, or was replaced, is asked for again, and the page computes from then on @full", async ({
  api,
  page,
  request,
}) => {
  await uploadMotor(api, request);
  const followed = followThread(page);
  const [files, columns]: [string[], string[]] = [[], []];
  await page.route("**/media/signals/**", (route) => {
    files.push(route.request().url());
    if (files.length === 1) return route.abort("connectionreset");
    // As the server says it of a file that it has replaced.
    return files.length === 2 ? route.fulfill({ status: 409 }) : route.continue();
  });
  page.on("request", (sent) => {
    if (/rules\.previewColumns\b/.test(sent.url())) columns.push(sent.url());
  });
  const { summary } = await beginRule(page, "80");
  await expect(summary).toContainText(`Triggers ${await countHits(api, 80)} times`);
  await waitUntilComputed(page, followed);
  expect(columns).toHaveLength(3);
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("20.5");
  await expect(summary).toContainText(`Triggers ${await countHits(api, 20.5)} times`);
});

test("threads of pages have a policy of their own, which allows WebAssembly and nothing from elsewhere", async ({
  request,
}) => {
  const page = await request.get("/rules/new");
  expect(page.headers()["content-security-policy"]).not.toContain("wasm");
  const workers = (await (await request.get("/engine/workers.json")).json()) as { preview: string; recording: string };
  const later = /\.\/scenes-and-overlays-\w+\.js/.exec(await (await request.get(workers.recording)).text())?.[0] ?? "";
  for (const address of [workers.preview, workers.recording, `/engine/${later}`]) {
    const script = await request.get(address);
    expect(script.headers(), address).toMatchObject({
      "content-security-policy": "default-src 'none'; connect-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
      "content-encoding": "br",
      "x-content-type-options": "nosniff",
    });
    expect(script.headers()["cache-control"]).toContain("immutable");
    expect(script.headers()["content-type"]).toContain("text/javascript");
  }
});
