import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { CDPSession, Page, Request } from "@playwright/test";
import { expect, heartbeat, live, registerDevice, test } from "./fixtures";

/** The shared workers that hold a stream for the page's browser context. */
async function listWorkers(session: CDPSession): Promise<string[]> {
  const { targetInfos } = await session.send("Target.getTargets", {
    filter: [{ type: "shared_worker" }, { type: "page" }],
  });
  const { targetInfo } = await session.send("Target.getTargetInfo");
  return targetInfos
    .filter(
      ({ type, browserContextId }) => type === "shared_worker" && browserContextId === targetInfo.browserContextId,
    )
    .map(({ targetId }) => targetId);
}

/** Sets the clock of the page's stream forward. */
async function passTime(page: Page, ms: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const targetId of await listWorkers(session)) {
    const { sessionId } = await session.send("Target.attachToTarget", { targetId });
    const answered = new Promise((resolve) => session.once("Target.receivedMessageFromTarget", resolve));
    const expression = `{ const { now } = Date; Date.now = () => now() + ${ms} }`;
    const message = JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression } });
    await session.send("Target.sendMessageToTarget", { sessionId, message });
    await answered;
  }
  await session.detach();
}

test("seven tabs of one browser all load and update over one stream", async ({ api, request, page }) => {
  // One more than the connections that a browser opens to a host; all load at once.
  const seen = { timeout: 100_000 };
  const device = await registerDevice(api, { name: "arm-01" });
  const context = page.context();
  let ownStreams = 0;
  const count = (each: Request) => {
    if (new URL(each.url()).pathname === "/api/changes") ownStreams++;
  };
  context.on("request", count);
  const tabs = [page];
  while (tabs.length < 7) tabs.push(await context.newPage());
  await Promise.all(
    tabs.map(async (tab) => {
      await tab.goto("/devices");
      await live(tab);
      await expect(tab.getByRole("row", { name: /arm-01.*Offline/ })).toBeVisible(seen);
    }),
  );
  await heartbeat(request, device);
  await Promise.all(tabs.map((tab) => expect(tab.getByRole("row", { name: /arm-01.*Online/ })).toBeVisible(seen)));
  context.off("request", count);
  expect(ownStreams).toBe(0);
  const session = await context.newCDPSession(page);
  expect(await listWorkers(session)).toHaveLength(1);
  await session.detach();

  // The tab that opened the stream may go; the others keep it.
  await tabs.shift()?.close();
  await api.patch(`/fleet/devices/${device.uid}/`, { status: "maintenance" });
  await Promise.all(tabs.map((tab) => expect(tab.getByRole("row", { name: /arm-01.*Maintenance/ })).toBeVisible(seen)));
});

test("a new device waits behind a pill; a changed one updates in place", async ({ api, request, page }) => {
  const first = await registerDevice(api, { name: "arm-01" });
  await registerDevice(api, { name: "arm-02" });
  await page.goto("/devices");
  await live(page);
  const names = page.getByRole("table", { name: "Devices" }).locator("tbody tr");
  await expect(names).toHaveText([/arm-02/, /arm-01/]);
  await registerDevice(api, { name: "arm-03" });
  await registerDevice(api, { name: "arm-04" });
  const pill = page.getByRole("button", { name: "2 new" });
  await expect(pill).toBeVisible();
  await heartbeat(request, first);
  await expect(page.getByRole("row", { name: /arm-01.*Online/ })).toBeVisible();
  await expect(names).toHaveText([/arm-02/, /arm-01/]);
  await pill.click();
  await expect(names).toHaveText([/arm-04/, /arm-03/, /arm-02/, /arm-01/]);
  await expect(pill).toBeHidden();
});

test("the first device appears in an empty list by itself @full", async ({ api, page }) => {
  await page.goto("/devices");
  await live(page);
  await expect(page.getByRole("heading", { name: "No devices yet" })).toBeVisible();
  await registerDevice(api, { name: "arm-01" });
  await expect(page.getByRole("row", { name: /arm-01/ })).toBeVisible();
});

test("a device's page follows its heartbeats, and reports its deletion elsewhere @full", async ({
  api,
  request,
  page,
  faults,
}) => {
  faults.expect(/status of (404|207)/);
  const device = await registerDevice(api, { name: "arm-01" });
  await page.goto(`/devices/${device.uid}`);
  await live(page);
  await expect(page.getByText("never sent a heartbeat")).toBeVisible();
  await heartbeat(request, device, { firmware_version: "2.0.0" });
  await expect(page.getByText("2.0.0").first()).toBeVisible();
  await expect(page.getByText("Online").first()).toBeVisible();
  await api.delete(`/fleet/devices/${device.uid}/`);
  await expect(page.getByText(/was deleted while you were looking/)).toBeVisible();
});

/** A proxy to the server whose connections can be cut. */
async function createProxy(target: URL) {
  const open = new Set<Socket>();
  let cut = false;
  const server = createServer((incoming) => {
    if (cut) return void incoming.destroy();
    const outgoing = connect(Number(target.port), target.hostname);
    for (const socket of [incoming, outgoing]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.pipe(outgoing).pipe(incoming);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      cut = true;
      for (const socket of open) socket.destroy();
    },
    restore: () => void (cut = false),
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

test("a lost connection is reported after half a minute; once it is back nothing is missing", async ({
  api,
  request,
  page,
  faults,
  baseURL,
}) => {
  faults.expect(/ERR_|Failed to (load|fetch)|Failed to load resource/);
  const device = await registerDevice(api, { name: "arm-01" });
  const proxy = await createProxy(new URL(baseURL ?? ""));
  await page.goto(`${proxy.origin}/devices`);
  await live(page);
  await expect(page.getByRole("row", { name: /arm-01.*Offline/ })).toBeVisible();
  proxy.cut();
  await heartbeat(request, device);
  await registerDevice(api, { name: "arm-02" });
  const banner = page.getByText(/Live updates paused since .*, reconnecting/);
  await passTime(page, 30_000);
  await expect(banner).toBeVisible();
  await expect(page.getByRole("row", { name: /arm-01.*Offline/ })).toBeVisible();
  proxy.restore();
  await expect(banner).toBeHidden();
  await expect(page.getByRole("row", { name: /arm-01.*Online/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible();
  proxy.close();
});
