import http from "node:http";
import type { Page } from "@playwright/test";
import sharp from "sharp";
import { isoFromNs } from "@/domain/time/nanoseconds";
import { chromiumFlags } from "@/scripts/chromium.mjs";
import { expect, live, lookFirst } from "./fixtures";
import { drive, start } from "./map-recording";
import { onlookers as test } from "./onlookers";
import { listen, startWeb, type WebProcess } from "./web-process";

// Maps need WebGL, which a machine without a graphics card computes.
test.use({
  launchOptions: {
    executablePath: process.env.CHROMIUM_PATH || "/usr/bin/chromium",
    args: [...chromiumFlags, "--enable-unsafe-swiftshader"],
  },
});

const tileColour = { r: 40, g: 150, b: 90 };
/** The server of style and tiles, which another site has. */
const provider = { origin: "", requests: [] as string[], style: 200, tiles: 200 };
let tileServer: http.Server;
/** A second web process on the database and files of the first, with a map set up. */
let web: WebProcess;

function makeStyle(): string {
  const base = {
    type: "raster",
    tiles: [`${provider.origin}/{z}/{x}/{y}.png`],
    tileSize: 256,
    maxzoom: 18,
    attribution: "© Surveyors",
  };
  return JSON.stringify({
    version: 8,
    sources: { base },
    layers: [{ id: "base", type: "raster", source: "base" }],
  });
}

test.beforeAll(async () => {
  const tile = await sharp({ create: { width: 256, height: 256, channels: 3, background: tileColour } })
    .png()
    .toBuffer();
  tileServer = http.createServer(({ url = "" }, response) => {
    provider.requests.push(url);
    const isStyle = url.startsWith("/style.json");
    const headers = {
      "access-control-allow-origin": "*",
      "content-type": isStyle ? "application/json" : "image/png",
      "cache-control": "no-store",
    };
    const status = isStyle ? provider.style : provider.tiles;
    response.writeHead(status, headers).end(status !== 200 ? "" : isStyle ? makeStyle() : tile);
  });
  provider.origin = `http://127.0.0.1:${await listen(tileServer)}`;
  web = await startWeb({ MAP_STYLE_URL: `${provider.origin}/style.json?key=secret` });
});

test.afterAll(async () => {
  await web.stop();
  tileServer.closeAllConnections();
  tileServer.close();
});

test.beforeEach(() => Object.assign(provider, { requests: [], style: 200, tiles: 200 }));

const map = (page: Page) => page.getByRole("img", { name: /^Map of \/gps\/fix/ });
const panel = (page: Page) => page.getByRole("figure", { name: "/gps/fix" });

/** The colour of the map above its middle, where neither the track nor its buttons are. */
async function readColour(page: Page): Promise<number[]> {
  const { data, info } = await sharp(await map(page).screenshot())
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height * 0.3) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

test("a robot's way lies on the tiles of the style, and a press on it moves the playhead, in every look", async ({
  page,
}) => {
  const uid = await drive();
  await lookFirst(page, async () => {
    const response = await page.goto(`${web.origin}/recordings/${uid}?t=${isoFromNs(start + 5_000_000_000n)}`);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain(`img-src 'self' data: blob: ${provider.origin};`);
    expect(policy).toContain(`connect-src 'self' ${provider.origin};`);
    await live(page);
    await expect(panel(page).getByText("© Surveyors")).toBeVisible();
  });
  await expect(panel(page)).toContainText("47.000000, 8.005000");
  const { r, g, b } = tileColour;
  await expect.poll(() => readColour(page)).toEqual([r, g, b]);
  expect(provider.requests[0]).toBe("/style.json?key=secret");
  // The way is 1.5 km long near 8.01 degrees east, 47 north: of the tiles asked for, those lie there.
  const tiles = provider.requests.filter((url) => url.endsWith(".png"));
  expect(tiles.length).toBeGreaterThan(0);
  for (const url of tiles) {
    const [z = 0, x = 0, y = 0] = url.split(/[/.]/).slice(1, 4).map(Number);
    const span = 2 ** z;
    expect(Math.abs(x - Math.floor(((8.01 + 180) / 360) * span))).toBeLessThan(3);
    const north = Math.asinh(Math.tan((47 * Math.PI) / 180)) / Math.PI;
    expect(Math.abs(y - Math.floor(((1 - north) / 2) * span))).toBeLessThan(3);
  }

  const { width, height } = (await map(page).boundingBox())!;
  await map(page).click({ position: { x: width - 28, y: height / 2 } });
  await expect(panel(page)).toContainText("47.000000, 8.020000");
  await map(page).click({ position: { x: 28, y: height / 2 } });
  await expect(panel(page)).toContainText("47.000000, 8.000000");
});

test("a style that cannot be loaded leaves the grid, and says why @full", async ({ page, faults }) => {
  faults.expect(/status of 404/);
  const uid = await drive();
  provider.style = 404;
  await page.goto(`${web.origin}/recordings/${uid}?t=${isoFromNs(start + 5_000_000_000n)}`);
  await live(page);
  await expect(panel(page).getByText("No map: the server of its style answered 404")).toBeVisible();
  const { width, height } = (await map(page).boundingBox())!;
  await map(page).click({ position: { x: width - 28, y: height / 2 } });
  await expect(panel(page)).toContainText("47.000000, 8.020000");
});

test("a browser without WebGL shows the grid, and says so @full", async ({ page }) => {
  const uid = await drive();
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
      apply: (target, canvas, [kind, ...rest]: [string, ...unknown[]]) =>
        kind.startsWith("webgl") ? null : Reflect.apply(target, canvas, [kind, ...rest]),
    });
  });
  await page.goto(`${web.origin}/recordings/${uid}`);
  await live(page);
  await expect(panel(page).getByText("No map: this browser cannot draw it")).toBeVisible();
  await expect(map(page)).toBeVisible();
});

test("tiles that cannot be loaded are said to be missing @full", async ({ page, faults }) => {
  faults.expect(/status of 500/);
  const uid = await drive();
  provider.tiles = 500;
  await page.goto(`${web.origin}/recordings/${uid}`);
  await live(page);
  await expect(panel(page).getByText("Some tiles are missing")).toBeVisible();
});

test("without a style nothing of maps is loaded, and the policy names no other site", async ({ page }) => {
  const uid = await drive();
  const scripts: string[] = [];
  page.on("request", (each) => scripts.push(each.url()));
  const response = await page.goto(`/recordings/${uid}`);
  expect(response?.headers()["content-security-policy"]).toContain("connect-src 'self';");
  await live(page);
  await expect(map(page)).toBeVisible();
  expect(scripts.filter((url) => url.includes("tiles.worker"))).toEqual([]);
  expect(provider.requests).toEqual([]);
});
