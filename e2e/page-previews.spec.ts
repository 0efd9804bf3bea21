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

test("a slider's previews are computed in the page once it has the columns, and are those of the server", async ({
  api,
  page,
  request,
}) => {
  await uploadRecording(api, request, { bytes: await warmUps(3_000), device: unique("arm"), name: "Warm-ups" });
  const ask = { sql: `select count(*) from "${topic}"` };
  const countRows = () =>
    api.post<{ rows: unknown[][] }>("/fleet/signals/query/", ask).then(
      ({ rows }) => rows[0]?.[0],
      () => 0,
    );
  await expect.poll(countRows, { timeout: 40_000, intervals: [500] }).toBe(3_000);

  const asked: string[] = [];
  page.on("request", (sent) => {
    if (/rules\.preview\b/.test(sent.url())) asked.push(sent.url());
  });
  await page.goto("/rules/new");
  await live(page);
  await page.getByRole("combobox", { name: "Topic" }).fill("/motor");
  await page.getByRole("option", { name: /\/motor\/temp/ }).click();
  await page.getByRole("combobox", { name: "Field" }).click();
  await page.getByRole("option", { name: /data.*p50/ }).click();
  const read = page.waitForResponse(/\/media\/signals\//);
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("80");
  const preview = page.getByRole("region", { name: "Preview" });
  const summary = preview.getByText(/^Fires \d+ times? on 1 of 1 device/);
  await expect(summary).toContainText(`Fires ${await countHits(api, 80)} times`, { timeout: 20_000 });
  expect((await read).headers()["cache-control"]).toContain("immutable");

  // The thread answers as soon as it has read the file; until then the server does.
  const slider = preview.getByRole("slider", { name: "Value" });
  await expect
    .poll(async () => {
      await slider.press("ArrowLeft");
      return page.evaluate(() => performance.getEntriesByName("rule preview").length);
    })
    .toBeGreaterThan(0);
  const before = asked.length;
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("99.9");
  await expect(summary).toContainText(`Fires ${await countHits(api, 99.9)} times`);
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("20.5");
  await expect(summary).toContainText(`Fires ${await countHits(api, 20.5)} times`);
  expect(await countHits(api, 20.5)).not.toBe(await countHits(api, 99.9));
  expect(asked.length).toBe(before);
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
