// Compiles zstd-napi, which decompresses recordings twice as fast as WebAssembly. Muster works without it, so this is
// tried once per installed tree, and a failure is only reported. `node scripts/native-zstd.mjs` does it by hand, again
// after a failure. Imports only node: modules.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { tryLock } from "../server/platform/process/file-lock.mjs";

const modules = path.join(path.dirname(import.meta.dirname), "node_modules");
const addon = path.join(modules, "zstd-napi");
/** Holds why the build failed; npm removes it with the tree. */
const failure = path.join(modules, ".zstd-napi-failed");

const isBuilt = () => fs.existsSync(path.join(addon, "build/Release/binding.node"));

/** node-gyp of the npm that runs this script, or of the one beside Node. */
function findNodeGyp() {
  const bin = path.dirname(fs.realpathSync(process.execPath));
  const inNpm = "node_modules/npm/node_modules/node-gyp/bin/node-gyp.js";
  const candidates = [process.env.npm_config_node_gyp, path.join(bin, "../lib", inNpm), path.join(bin, inNpm)];
  return candidates.find((file) => file && fs.existsSync(file));
}

/**
 * Compiles beside the installed module and moves the result there, so that a process never loads half a file. Throws
 * with the compiler's last lines.
 */
async function compile(priority) {
  const gyp = findNodeGyp();
  if (!gyp) throw new Error("npm's node-gyp was not found");
  const copy = fs.mkdtempSync(path.join(modules, ".zstd-napi-"));
  try {
    fs.cpSync(addon, copy, { recursive: true, filter: (file) => file !== path.join(addon, "build") });
    // node-gyp finds the headers of node-addon-api as a package of this tree, from the copy too.
    const child = spawn(process.execPath, [gyp, "rebuild", "--directory", copy], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NODE_PATH: modules },
    });
    if (child.pid) os.setPriority(child.pid, priority);
    const end = () => child.kill();
    process.once("exit", end);
    let output = "";
    const collect = (chunk) => (output = (output + chunk).slice(-4_000));
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    const [code] = await once(child, "close");
    process.off("exit", end);
    if (code !== 0) throw new Error(output.match(/^(?:gyp ERR! stack|.*error:).*$/m)?.[0] ?? output.slice(-200).trim());
    const built = path.join(copy, "build/Release/binding.node");
    createRequire(import.meta.url)(built);
    fs.mkdirSync(path.join(addon, "build/Release"), { recursive: true });
    fs.renameSync(built, path.join(addon, "build/Release/binding.node"));
  } finally {
    fs.rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Compiles zstd-napi unless that was done or tried before; resolves to what there is to report, if anything. Never
 * throws. `again`: also after a failure; `background`: yields to every other process.
 */
export async function buildZstd({ again = false, background = false } = {}) {
  if (!fs.existsSync(addon) || isBuilt() || (fs.existsSync(failure) && !again)) return undefined;
  const lock = tryLock(path.join(modules, ".zstd-napi.lock"));
  if (!lock.held) return undefined;
  try {
    fs.rmSync(failure, { force: true });
    await compile(background ? os.constants.priority.PRIORITY_LOW : os.constants.priority.PRIORITY_NORMAL);
    return "zstd-napi was compiled; recordings are decompressed with it from the next start on.";
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    fs.writeFileSync(failure, `${reason}\n`);
    return `zstd-napi could not be compiled, so recordings are decompressed without it: ${reason}`;
  } finally {
    lock.release();
  }
}

if (process.argv[1] === import.meta.filename) console.log((await buildZstd({ again: true })) ?? "zstd-napi is there.");
