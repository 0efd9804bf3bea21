// A Chromium for the browser tests: one that is there, else Playwright's, else Debian's. Only node: imports.
// The headless shell first: without the windows of a desktop's browser the tests take a fifth less time.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { tool } from "./bootstrap.mjs";

const minutes = 60_000;

/** Without a sandbox, for tests run as root and in containers too, and without the calls home of a first start. */
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

/** Whether it starts and draws a page; a download may lack libraries of the system. */
function works(file) {
  const page = ["--headless", ...chromiumFlags, "--dump-dom", "data:text/html,<p>muster</p>"];
  const result = spawnSync(file, page, { encoding: "utf8", timeout: minutes, stdio: ["ignore", "pipe", "ignore"] });
  return result.status === 0 && result.stdout.includes("muster");
}

function inPath(name) {
  const { status, stdout } = spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function playwrightsOwn() {
  const require = createRequire(import.meta.url);
  return require("@playwright/test").chromium.executablePath();
}

function downloadPlaywrights() {
  process.stdout.write("Setting up: Playwright's Chromium …\n");
  const options = { stdio: "ignore", timeout: 4 * minutes };
  spawnSync(process.execPath, [tool.playwright, "install", "--no-shell", "chromium"], options);
  return playwrightsOwn();
}

function installDebians() {
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
  const got = ["chromium-headless-shell", "chromium"].find((name) =>
    apt("install", "-y", "--no-install-recommends", name),
  );
  return got && inPath(got);
}

/**
 * The file of a Chromium that works, got if need be; undefined when none can be had, and then `howToGetOne` says what
 * to do.
 */
export function findChromium() {
  const ways = [
    () => process.env.CHROMIUM_PATH,
    ...["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(
      (name) => () => inPath(name),
    ),
    playwrightsOwn,
    downloadPlaywrights,
    installDebians,
  ];
  for (const way of ways) {
    const file = way();
    if (file && works(file)) return file;
  }
  return undefined;
}

export const howToGetOne =
  "The browser tests need a Chromium, and none could be had. Install one with `sudo apt-get install -y chromium`, or name one in " +
  "CHROMIUM_PATH.";
