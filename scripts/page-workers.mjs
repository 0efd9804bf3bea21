// Builds the threads of pages (components/**/*.worker.ts) for public/engine, under names with their content's hash.
// Next would serve a worker with the policy of its pages, which refuses WebAssembly; these get one of their own.
import fs from "node:fs";
import path from "node:path";
import { precompress } from "./precompress.mjs";

const root = path.dirname(import.meta.dirname);
const suffix = ".worker.ts";

/** @type {import("rolldown").Plugin} Empty stand-ins for the Node modules that the WebAssembly packages import but use only on Node. */
export const absentNodeModules = {
  name: "absent-node-modules",
  resolveId: {
    filter: { id: /^(fs|path)$/ },
    handler: (name, importer) =>
      /node_modules[\\/](@foxglove[\\/]wasm-|three[\\/])/.test(importer ?? "") ? `\0absent-${name}` : null,
  },
  load: { filter: { id: /^\0absent-/ }, handler: () => "" },
};

/** @type {import("rolldown").Plugin} MapLibre's package says that none of its files does anything when it is imported; its thread does. */
const mapThread = {
  name: "map-thread",
  resolveId: {
    filter: { id: /^maplibre-gl\/dist\/maplibre-gl-worker\.mjs$/ },
    handler: (name) => ({ id: path.join(root, "node_modules", name), moduleSideEffects: true }),
  },
};

/** @type {import("rolldown").Plugin} Draco's own script is no module: it only declares what it makes. */
const dracoScript = {
  name: "draco-script",
  transform: {
    filter: { id: /[\\/]draco_wasm_wrapper\.js$/ },
    handler: (code) => `const [exports, module, define] = [];\n${code}\nexport default DracoDecoderModule;`,
  },
};

/** @type {import("rolldown").Plugin} Threads load what few recordings need with those recordings. */
const loadedWhenNeeded = {
  name: "loaded-when-needed",
  resolveId: {
    filter: { id: /^@\/engine\/decode\/rare-encodings$/ },
    handler: (_, importer) => {
      const own = path.join(root, "components/recording/thread/rare-encodings.ts");
      return importer === own ? null : own;
    },
  },
};

/** What threads have in place of what makes functions from text, which their policy forbids. */
const standIns = {
  "@/engine/code-generation": "export const canGenerateCode = () => false;",
  "@/engine/decode/generated-readers": "export const GeneratedReaders = null;",
};

/** @type {import("rolldown").Plugin} */
const withoutGeneratedCode = {
  name: "without-generated-code",
  resolveId: {
    filter: { id: /^@\/engine\/(code-generation|decode\/generated-readers)$/ },
    handler: (name) => `\0${name}`,
  },
  load: {
    filter: { id: /^\0@\/engine\// },
    handler: (id) => standIns[id.slice(1)] ?? null,
  },
};

/** @type {import("rolldown").InputOptions} Of all bundles for threads of browsers. */
export const threadOptions = {
  cwd: root,
  platform: "browser",
  tsconfig: path.join(root, "tsconfig.json"),
  transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
  moduleTypes: { ".wasm": "asset" },
};

/** Three's classes of animations, which scenes have none of, are left out only where access to members counts for nothing. */
const withoutAnimations = { propertyReadSideEffects: false, propertyWriteSideEffects: false };

/** Said again, since the minifier would take what is said above for the insides of functions, too. */
const minify = { compress: { treeshake: { propertyReadSideEffects: true } }, mangle: true, codegen: true };

/**
 * Bundles one thread by itself: what two threads share is in the script of each, so that each comes with one request. What
 * a thread loads later is a script beside it, which takes what both need from the thread's.
 * @param {string} file
 * @param {string} folder
 */
async function buildThread(file, folder) {
  const { rolldown } = await import("rolldown");
  const name = path.basename(file, suffix);
  const bundle = await rolldown({
    ...threadOptions,
    input: { [`${name}.worker`]: path.join(root, "components", file) },
    plugins: [absentNodeModules, mapThread, dracoScript, loadedWhenNeeded, withoutGeneratedCode],
    treeshake: name === "scene" ? withoutAnimations : true,
  });
  const names = "[name]-[hash].js";
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify,
    entryFileNames: names,
    chunkFileNames: names,
    assetFileNames: "[name]-[hash][extname]",
    hashCharacters: "hex",
  });
  await bundle.close();
  return [name, `/engine/${output[0].fileName}`];
}

/**
 * Writes the threads into an empty folder, and their addresses by name as workers.json, which pages import.
 * @param {string} folder
 */
export async function buildPageWorkers(folder) {
  const sources = fs
    .readdirSync(path.join(root, "components"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(suffix));
  const addresses = await Promise.all(sources.map((file) => buildThread(file, folder)));
  await precompress(folder);
  fs.writeFileSync(path.join(folder, "workers.json"), JSON.stringify(Object.fromEntries(addresses)));
}
