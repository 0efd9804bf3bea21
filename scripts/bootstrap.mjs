// The set-up of `npm start`, `npm test` and `npm run dev`. Imports only node: modules, because it runs before anything
// is installed; not a pre* script, because npm skips those under ignore-scripts. Writes nothing when all is up to date, and
// replaces what runs only by what is complete.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { completeBinaries, findBinaries } from "../server/platform/database/postgres-binaries.mjs";
import { waitForLock } from "../server/platform/process/file-lock.mjs";
import { noteBuild } from "./build-note.mjs";
import { removeOldBuilds } from "./last-build.mjs";
import { buildPageWorkers } from "./page-workers.mjs";
import { precompress } from "./precompress.mjs";
import {
  forgetPackages,
  hasPackages,
  installPages,
  installServer,
  installThreads,
  namePages,
  replacePackages,
  restorePackages,
  staging,
} from "./staged-build.mjs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Muster needs Node 20.19 or newer; this is ${process.version}.`);
  process.exit(1);
}

/** The checkout. */
export const root = path.dirname(import.meta.dirname);
const at = (...parts) => path.join(root, ...parts);
/** The JavaScript file behind a command of an installed package, to be run by `process.execPath`. */
export const tool = {
  next: at("node_modules/next/dist/bin/next"),
  tsx: at("node_modules/tsx/dist/cli.mjs"),
  tsc: at("node_modules/typescript/bin/tsc"),
  oxlint: at("node_modules/oxlint/bin/oxlint"),
  oxfmt: at("node_modules/oxfmt/bin/oxfmt"),
  knip: at("node_modules/knip/bin/knip.js"),
  vitest: at("node_modules/vitest/vitest.mjs"),
  playwright: at("node_modules/@playwright/test/cli.js"),
  prisma: at("node_modules/prisma/build/index.js"),
};

const offline = { NEXT_TELEMETRY_DISABLED: "1", PRISMA_HIDE_UPDATE_MESSAGE: "1", CHECKPOINT_DISABLE: "1" };

/** A set-up step that failed; its message has the output of the tool. */
class SetupError extends Error {}

/** Child processes of `run`. */
const running = new Set();
let interrupted = false;
/** Whether this process is the one that sets the checkout up. */
let building = false;

/** Ends the child processes, then this one: an orphaned build would interfere with the next set-up. */
function endWithTools(signal) {
  if (interrupted) return;
  interrupted = true;
  const exit = () => {
    if (building) restorePackages(root);
    process.exit(128 + os.constants.signals[signal]);
  };
  setTimeout(exit, 5_000);
  const ended = [...running].map((child) => once(child, "close"));
  for (const child of running) child.kill();
  void Promise.all(ended).then(exit);
}

/** Runs a program. Resolves to its output; rejects with it when the program fails. */
function run(file, args, env = {}, cwd = root) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32" && file === "npm",
      env: { ...process.env, ...offline, ...env },
    });
    running.add(child);
    let output = "";
    const collect = (chunk) => (output = (output + chunk).slice(-20_000));
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.once("error", (error) => reject(new SetupError(`${file}: ${error.message}`)));
    child.once("close", (code, signal) => {
      running.delete(child);
      if (interrupted) return;
      if (code === 0) resolve(output);
      else reject(new SetupError(`${[file, ...args].join(" ")} ended with ${signal ?? code}\n${output.trim()}`));
    });
  });
}

function* filesBelow(relative) {
  const stat = fs.statSync(at(relative), { throwIfNoEntry: false });
  if (stat?.isFile()) yield relative;
  if (!stat?.isDirectory()) return;
  for (const entry of fs.readdirSync(at(relative)).sort()) {
    if (entry === "generated" || entry === "testing" || /\.test\.tsx?$/.test(entry)) continue;
    const below = path.join(relative, entry);
    if (below !== path.join("public", "engine")) yield* filesBelow(below); // made here, of other inputs
  }
}

/** A digest over the contents of files and folders, for this platform. */
function fingerprint(...inputs) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${major}`);
  for (const input of inputs) {
    for (const file of filesBelow(input)) hash.update(`\0${file}\0`).update(fs.readFileSync(at(file)));
  }
  return hash.digest("hex");
}

const read = (file) => (fs.existsSync(at(file)) ? fs.readFileSync(at(file), "utf8") : undefined);

/**
 * A step that is repeated only when the fingerprint of its inputs has changed. With `staged`, it makes its output in that
 * folder, which `install` puts in place once every step has come to its end.
 */
const stamped = (label, { stamp, inputs, outputs, make, staged, install }) => ({
  label,
  isFresh: () => outputs.every((output) => fs.existsSync(at(output))) && read(stamp) === fingerprint(...inputs),
  /** Whether it was made and not put in place. */
  isStaged: () => staged !== undefined && read(path.join(staged, ".stamp")) === fingerprint(...inputs),
  make: async () => {
    const made = fingerprint(...inputs); // taken before the build, so that an edit during it makes it stale
    const note = staged === undefined ? stamp : path.join(staged, ".stamp");
    fs.rmSync(at(staged ?? stamp), { recursive: true, force: true });
    if (staged !== undefined) fs.mkdirSync(at(staged), { recursive: true });
    await make();
    fs.writeFileSync(at(note), made);
  },
  install,
});

const dependencies = {
  label: "dependencies",
  isFresh: () => hasPackages(root),
  isStaged: () => false,
  make: async () => {
    await replacePackages(root, async (folder) => {
      const args = ["ci", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--prefer-offline"];
      const npm = process.env.npm_execpath;
      const isScript = npm !== undefined && /\.c?js$/.test(npm);
      const [file, ...before] = isScript ? [process.execPath, npm] : ["npm"];
      await run(file, [...before, ...args, "--prefix", folder], { NODE_ENV: "" }, folder);
    });
    const binaries = findBinaries();
    if (binaries) completeBinaries(binaries);
  },
};

const prismaClient = stamped("database client", {
  stamp: "server/platform/database/generated/.stamp",
  inputs: ["prisma/schema", "prisma.config.ts", "package-lock.json"],
  outputs: ["server/platform/database/generated/client.ts"],
  // Prisma downloads an engine that `generate` does not use, unless this names a program.
  make: () => run(process.execPath, [tool.prisma, "generate"], { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath }),
});

const serverInputs = ["cli", "domain", "engine", "server", "prisma/schema", "tsconfig.json", "package-lock.json"];

const serverBundle = stamped("server", {
  stamp: "dist/.stamp",
  inputs: [...serverInputs, "scripts/bootstrap.mjs"],
  outputs: ["dist/main.mjs"],
  staged: staging.server,
  make: bundleServer,
  install: installServer,
});

const pageWorkers = stamped("threads of pages", {
  stamp: "public/engine/.stamp",
  inputs: [
    "components",
    "domain",
    "engine",
    "scripts/page-workers.mjs",
    "scripts/precompress.mjs",
    "tsconfig.json",
    "package-lock.json",
  ],
  outputs: ["public/engine/workers.json"],
  staged: staging.threads,
  make: () => buildPageWorkers(at(staging.threads)),
  install: installThreads,
});

const pages = stamped("pages", {
  stamp: ".next/.stamp",
  inputs: [
    ...serverInputs,
    "app",
    "components",
    "docs",
    "CHANGELOG.md",
    "public",
    "scripts/page-workers.mjs",
    "next.config.mjs",
    "postcss.config.mjs",
    "scripts/precompress.mjs",
  ],
  outputs: [".next/BUILD_ID"],
  staged: staging.pages,
  make: async () => {
    const threads = pageWorkers.isStaged() ? staging.threads : "public/engine";
    try {
      await run(process.execPath, [tool.next, "build"], {
        NODE_ENV: "production",
        MUSTER_SKIP_TYPES: "1",
        MUSTER_BUILD_FOLDER: staging.pages,
        MUSTER_THREADS: threads,
      });
    } catch (error) {
      fs.rmSync(at(staging.pages), { recursive: true, force: true }); // the type checker reads what is in it
      throw error;
    } finally {
      namePages(root);
    }
    await precompress(at(staging.pages, "static"));
  },
  install: installPages,
});

/** Bundles the server, the command line, and every thread, which is loaded from beside the bundle at run time. */
async function bundleServer() {
  const { build, stop } = await import("esbuild");
  const threads = [...filesBelow("server")].filter((file) => /-thread\.(mjs|ts)$/.test(file));
  const programs = { main: "server/main.ts", cli: "cli/main.ts" };
  for (const thread of threads) programs[path.parse(thread).name] = thread;
  const present = Object.entries(programs).filter(([, file]) => fs.existsSync(at(file)));
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(present),
    outdir: "dist", // what maps name is relative to it
    write: false,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true, // so that the supervisor does not load what only web and worker need
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    metafile: true,
    logLevel: "silent",
  });
  await stop(); // its service would run as long as the product
  // With `packages: "external"`, an alias of a missing file counts as a package and would fail only at run time.
  const lost = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ path }) => path.startsWith("@/")),
  );
  if (lost.length > 0) throw new SetupError(`There is no ${lost.map(({ path }) => path).join(", ")}`);
  for (const file of outputFiles) fs.writeFileSync(at(staging.server, path.basename(file.path)), file.contents);
}

async function perform(step) {
  const began = performance.now();
  process.stdout.write(`Setting up: ${step.label} …\n`);
  await step.make();
  process.stdout.write(`Setting up: ${step.label} took ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"];
const builds = { sources: [], nothing: [], server: [serverBundle], product: [serverBundle, pages] };

/** For what only reads the sources, which name the threads of pages: those of an earlier edit do as well. */
const anyPageWorkers = { ...pageWorkers, isFresh: () => fs.existsSync(at("public/engine/workers.json")) };

/**
 * Prepares the checkout: dependencies and Prisma client, then the threads of pages (for `sources` only if there are
 * none), and builds `nothing` more, the `server` or the `product`.
 * Concurrent runs on one checkout take turns. Throws a SetupError with the output of the failing tool.
 */
export async function bootstrap(build) {
  removeOldBuilds(root);
  const threads = build === "sources" ? anyPageWorkers : pageWorkers;
  const groups = [[dependencies], [prismaClient, threads], builds[build]];
  if (!groups.flat().every((step) => step.isFresh())) await makeAll(groups);
  if (builds[build].length > 0) noteBuild(root);
}

async function makeAll(groups) {
  for (const signal of stopSignals) process.on(signal, endWithTools);
  try {
    await makeReady(groups);
  } finally {
    for (const signal of stopSignals) process.off(signal, endWithTools);
  }
}

/** Waits for all, also when one fails: what a step still makes would be in the way of the next set-up. */
async function settled(promises) {
  const results = await Promise.allSettled(promises);
  const failed = results.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

async function makeReady(groups) {
  fs.mkdirSync(at("dist"), { recursive: true });
  const release = await waitForLock(at("dist/.lock"), (pid) => {
    process.stdout.write(`Waiting for another set-up of this checkout (process ${pid}) …\n`);
  });
  building = true;
  try {
    const made = [];
    for (const group of groups) {
      const stale = group.filter((step) => !step.isFresh());
      made.push(...stale);
      await settled(stale.filter((step) => !step.isStaged()).map(perform));
    }
    for (const step of made.toReversed()) step.install?.(root);
    forgetPackages(root);
  } catch (error) {
    restorePackages(root);
    throw error;
  } finally {
    building = false;
    release();
  }
}

/** `bootstrap` for scripts: prints what failed and ends the process instead of throwing. */
export async function bootstrapOrExit(build) {
  try {
    await bootstrap(build);
  } catch (error) {
    console.error(error instanceof SetupError ? `Set-up failed. ${error.message}` : error);
    process.exit(1);
  }
}

if (process.argv[1] === import.meta.filename) await bootstrapOrExit("product");
