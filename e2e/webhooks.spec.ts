import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inEveryLook, live, lookAround, lookAtTabs, test, unique, widths, type Api } from "./fixtures";

interface Message {
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** A local receiver whose status can be changed while it runs. */
async function startReceiver(first = 200) {
  let status = first;
  const received: Message[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status).end(status < 300 ? "taken" : "out of order");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    host: `127.0.0.1:${port}`,
    received,
    respondWith: (next: number) => (status = next),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

interface Subscription {
  uid: string;
  secret: string;
}
const subscribe = (api: Api, url: string) =>
  api.post<Subscription>("/webhooks/", { target_url: url, events: ["dataset.created"] });
/** A webhook with a delivery that failed and whose next attempt is minutes away, so that its page stands still. */
async function makeFailing(api: Api, receiver: { url: string }): Promise<{ uid: string; delivery: string }> {
  const { uid } = await subscribe(api, receiver.url);
  await createDataset(api);
  const { results } = await api.get<{ results: { uid: string }[] }>(`/webhook-deliveries/?subscription=${uid}`);
  const delivery = results[0]?.uid ?? "";
  const countAttempts = async () =>
    (await api.get<{ attempt_log: unknown[] }>(`/webhook-deliveries/${delivery}/`)).attempt_log.length;
  await expect.poll(countAttempts).toBe(2);
  return { uid, delivery };
}
const createDataset = (api: Api) => api.post("/datasets/", { name: unique("Hall") });

test("a webhook is created, tested, fails in a group and is replayed with the number first", async ({ api, page }) => {
  const receiver = await startReceiver(503);
  await page.goto("/webhooks");
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  await live(page);
  await page.keyboard.press("n");
  await expect(page.getByRole("heading", { name: "New webhook" })).toBeVisible();
  await lookAround(page);
  await page.getByRole("textbox", { name: "URL" }).fill("https://10.0.0.1/hook");
  await expect(page.getByText(/not on the public internet/)).toBeVisible();
  await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
  await expect(page.getByText("Reachable address.")).toBeVisible();
  await page.getByRole("checkbox", { name: "dataset.created" }).click();
  await expect(page.getByLabel("Body of dataset.created", { exact: true })).toContainText("Yard crossings");
  await page.getByRole("button", { name: "Create webhook" }).click();

  await expect(page.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
  await page.getByRole("checkbox", { name: "I stored it" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Send test" }).click();
  await expect(page.getByText("The first delivery failed: The receiver answered 503.")).toBeVisible();
  await page.getByRole("link", { name: "Open webhook" }).click();

  await createDataset(api);
  await createDataset(api);
  const group = page.getByRole("region", { name: "What fails" });
  await expect(group.getByText("×3")).toBeVisible();
  await expect(group.getByText("503", { exact: true })).toBeVisible();
  // Each is retried once after five seconds and then only after minutes, so the number stands.
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(6);
  receiver.respondWith(200);
  await group.getByRole("button", { name: "Replay 3" }).click();
  const dialog = page.getByRole("dialog", { name: /Replay what failed/ });
  await expect(dialog.getByRole("status")).toContainText("3 deliveries");
  await dialog.getByRole("button", { name: "Replay 3" }).click();
  await expect(page.getByRole("list", { name: "Replays" })).toContainText("Replayed 3: 3 delivered");
  await expect(group).toBeHidden();

  await page.getByRole("button", { name: /new/ }).click();
  await page.getByRole("row", { name: /Sent again.*test\.ping.*Delivered/ }).click();
  const drawer = page.getByRole("dialog", { name: "test.ping" });
  await drawer.getByRole("button", { name: /of an earlier delivery/ }).click();
  await expect(drawer.getByText("The receiver answered 503.").first()).toBeVisible();
  await expect(drawer.getByRole("button", { name: /↻ Delivered/ })).toBeVisible();
  await expect(drawer.getByText("webhook-signature:").first()).toBeVisible();
  await receiver.close();
});

test("the verification names four different mistakes and sends nothing", async ({ api, page }) => {
  const receiver = await startReceiver();
  const { uid, secret } = await subscribe(api, receiver.url);
  await createDataset(api);
  await expect.poll(() => receiver.received.length).toBe(1);
  const { headers, body } = receiver.received[0]!;
  const names = ["webhook-id", "webhook-timestamp", "webhook-signature", "x-service-signature"];
  const write = (all: http.IncomingHttpHeaders) => names.map((name) => `${name}: ${String(all[name])}`).join("\n");
  await page.goto(`/webhooks/${uid}?tab=verify`);
  await live(page);
  const form = page.getByRole("form", { name: "Verify a signature" });
  const requests: string[] = [];
  page.on("request", (request) => requests.push(`${request.url()} ${request.postData() ?? ""}`));
  const verify = async (message: { secret: string; headers: string; body: string }) => {
    await form.getByLabel("Signing secret").fill(message.secret);
    await form.getByLabel("Headers").fill(message.headers);
    await form.getByLabel("Body").fill(message.body);
    await form.getByRole("button", { name: "Verify" }).click();
  };
  await verify({ secret, headers: write(headers), body });
  await expect(form.getByText("The signature is valid")).toBeVisible();
  await verify({ secret, headers: write(headers), body: JSON.stringify(JSON.parse(body), null, 2) });
  await expect(form.getByText("The body was re-serialized")).toBeVisible();
  await verify({ secret: `whsec_${"A".repeat(43)}=`, headers: write(headers), body });
  await expect(form.getByText("The secret is another one")).toBeVisible();
  const clock = Date.now();
  await page.clock.setFixedTime(clock + 3_600_000);
  await verify({ secret, headers: write(headers), body });
  await expect(form.getByText("The timestamp is too old")).toBeVisible();
  expect(
    requests.filter((request) => request.includes(secret) || request.includes(encodeURIComponent(secret))),
  ).toEqual([]);
  await receiver.close();
});

test("a webhook that answers 410 is turned off, and is turned on and replayed @full", async ({ api, page }) => {
  const receiver = await startReceiver(410);
  const { uid } = await subscribe(api, receiver.url);
  await page.goto(`/webhooks/${uid}`);
  await live(page);
  await expect(page.getByRole("heading", { name: "Nothing was sent yet" })).toBeVisible();
  await createDataset(api);
  const banner = page.getByRole("alert").filter({ hasText: "Turned off since" });
  await expect(banner).toContainText("The receiver answered 410");
  await expect(page.getByRole("link", { name: "Webhooks 1 turned off" })).toBeVisible();
  receiver.respondWith(200);
  await banner.getByRole("button", { name: "Turn on and replay 1" }).click();
  const dialog = page.getByRole("dialog", { name: "Replay deliveries" });
  await expect(dialog.getByRole("status")).toContainText("1 delivery");
  await dialog.getByRole("button", { name: "Turn on and replay 1" }).click();
  await expect(page.getByRole("list", { name: "Replays" })).toContainText("Replayed 1: 1 delivered");
  await expect(banner).toBeHidden();
  const rail = page.getByRole("navigation", { name: "Main" });
  await expect(rail.getByRole("link", { name: "Webhooks", exact: true })).toBeVisible();
  await receiver.close();
});

test("a secret is rotated, the overlap is shown, and a webhook is deleted by typing its host @full", async ({
  api,
  page,
}) => {
  const receiver = await startReceiver();
  const { uid } = await subscribe(api, receiver.url);
  await page.goto(`/webhooks/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Actions for this webhook" }).click();
  await page.getByRole("menuitem", { name: "Rotate secret" }).click();
  await page.getByRole("button", { name: "Rotate secret" }).click();
  const secret = page.getByRole("dialog", { name: "Your new signing secret" });
  await expect(secret.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
  await secret.getByRole("checkbox", { name: "I stored it" }).click();
  await secret.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(/The old secret signs too until/)).toBeVisible();
  await page.getByRole("button", { name: "Actions for this webhook" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete this webhook?" }).or(page.getByRole("alertdialog"));
  await dialog.getByRole("textbox").fill(receiver.host);
  await dialog.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  await receiver.close();
});

test("deliveries are read by keyboard alone: j, Enter, v, r, Escape @full", async ({ api, page }) => {
  const receiver = await startReceiver();
  const { uid } = await subscribe(api, receiver.url);
  await createDataset(api);
  await expect.poll(() => receiver.received.length).toBe(1);
  await page.goto(`/webhooks/${uid}`);
  await live(page);
  await expect(page.getByRole("row", { name: /dataset\.created.*Delivered/ })).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const drawer = page.getByRole("dialog", { name: "dataset.created" });
  await expect(drawer.getByRole("heading", { name: "1 attempt" })).toBeVisible();
  await page.keyboard.press("v");
  await expect(drawer.getByLabel("As sent", { exact: true })).toContainText('{"event":"dataset.created"');
  await page.keyboard.press("r");
  await expect.poll(() => receiver.received.length).toBe(2);
  await page.keyboard.press("Escape");
  await expect(drawer).toBeHidden();
  await receiver.close();
});

test("the list, a webhook, its tabs and a delivery are accessible in both themes, on desktop and phone", async ({
  api,
  page,
}) => {
  const receiver = await startReceiver(503);
  const { uid, delivery } = await makeFailing(api, receiver);
  await inEveryLook(page, async () => {
    await page.goto("/webhooks");
    await expect(page.getByRole("row", { name: /Failing/ })).toBeVisible();
  });
  await inEveryLook(page, async () => {
    await page.goto(`/webhooks/${uid}`);
    await expect(page.getByRole("region", { name: "What fails" })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await lookAtTabs(page, ["Settings", "Verify", "Code"]);
  await page.goto(`/webhooks/${uid}?selected=${delivery}`);
  await expect(page.getByRole("dialog", { name: "dataset.created" }).getByText("2 attempts")).toBeVisible();
  await lookAround(page);
  await receiver.close();
});
