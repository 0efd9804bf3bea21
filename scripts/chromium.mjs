// Finds a Chromium for the browser tests: an installed one, else Playwright's, else Debian's. Only node: imports.
// The headless shell comes first, because the tests take a fifth less time with it.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { tool } from "./bootstrap.mjs";

const minutes = 60_000;

/** No sandbox, because tests also run as root and in containers; no network requests of the browser's own. */
export const chromiumFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Whether an executable starts and renders a page; a downloaded one may lack system libraries. */
function isUsable(file) {
  const page = ["--headless", ...chromiumFlags, "--dump-dom", "data:text/html,<p>muster</p>"];
  const result = spawnSync(file, page, { encoding: "utf8", timeout: minutes, stdio: ["ignore", "pipe", "ignore"] });
  return result.status === 0 && result.stdout.includes("muster");
}

function inPath(name) {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function locatePlaywrightChromium() {
  const require = createRequire(import.meta.url);
  return require("@playwright/test").chromium.executablePath();
}

function downloadPlaywrightChromium() {
  process.stdout.write("Setting up: Playwright's Chromium …\n");
  const options = { stdio: "ignore", timeout: 4 * minutes };
  spawnSync(process.execPath, [tool.playwright, "install", "--no-shell", "chromium"], options);
  return locatePlaywrightChromium();
}

function installDebianChromium() {
  const root = process.getuid?.() === 0;
  const prefix = root ? [] : ["sudo", "-n"];
  if (!inPath("apt-get") || (!root && !inPath("sudo"))) return undefined;
  process.stdout.write("Setting up: Debian's Chromium …\n");
  const apt = (...args) => {
    const [file, ...rest] = [...prefix, "apt-get", ...args];
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    return spawnSync(file, rest, { stdio: "ignore", timeout: 8 * minutes, env }).status === 0;
  };
  if (!apt("update")) return undefined;
  const installed = ["chromium-headless-shell", "chromium"].find((name) =>
    apt("install", "-y", "--no-install-recommends", name),
  );
  return installed && inPath(installed);
}

/**
 * The executable of a working Chromium, installed if necessary; undefined when none is available (see `installHint`).
 */
export function findChromium() {
  const sources = [
    () => process.env.CHROMIUM_PATH,
    ...["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(
      (name) => () => inPath(name),
    ),
    locatePlaywrightChromium,
    downloadPlaywrightChromium,
    installDebianChromium,
  ];
  for (const source of sources) {
    const file = source();
    if (file && isUsable(file)) return file;
  }
  return undefined;
}

export const installHint =
  "The browser tests need a Chromium, and none was found or could be installed. Install one with `sudo apt-get install -y chromium`, or name one in " +
  "CHROMIUM_PATH.";
