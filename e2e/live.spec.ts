import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import type { Page, Request } from "@playwright/test";
import { expect, heartbeat, live, registerDevice, test } from "./fixtures";

/** How many shared workers hold a stream for the page's browser context. */
async function countWorkers(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { targetInfos } = await session.send("Target.getTargets", {
    filter: [{ type: "shared_worker" }, { type: "page" }],
  });
  const { targetInfo } = await session.send("Target.getTargetInfo");
  await session.detach();
  return targetInfos.filter(
    ({ type, browserContextId }) => type === "shared_worker" && browserContextId === targetInfo.browserContextId,
  ).length;
}

test("twelve tabs of one browser all load and update over one stream", async ({ api, request, page }) => {
  // Twelve pages that load at once share two cores.
  const seen = { timeout: 30_000 };
  const device = await registerDevice(api, { name: "arm-01" });
  const context = page.context();
  let ownStreams = 0;
  const count = (each: Request) => {
    if (new URL(each.url()).pathname === "/api/changes") ownStreams++;
  };
  context.on("request", count);
  const tabs = [page];
  while (tabs.length < 12) tabs.push(await context.newPage());
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
  expect(await countWorkers(page)).toBe(1);

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

test("the first device appears in an empty list by itself", async ({ api, page }) => {
  await page.goto("/devices");
  await live(page);
  await expect(page.getByRole("heading", { name: "No devices yet" })).toBeVisible();
  await registerDevice(api, { name: "arm-01" });
  await expect(page.getByRole("row", { name: /arm-01/ })).toBeVisible();
});

test("a device's page follows its heartbeats, and reports its deletion elsewhere", async ({
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
  // The banner appears after half a minute without a connection.
  test.setTimeout(120_000);
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
  await expect(banner).toBeVisible({ timeout: 45_000 });
  await expect(page.getByRole("row", { name: /arm-01.*Offline/ })).toBeVisible();
  proxy.restore();
  await expect(banner).toBeHidden({ timeout: 30_000 });
  await expect(page.getByRole("row", { name: /arm-01.*Online/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "1 new" })).toBeVisible();
  proxy.close();
});
