// Builds the threads of pages (components/**/*.worker.ts) into public/engine, under names with their content's hash.
// Next would serve a worker with the policy of its pages, which refuses WebAssembly; these get one of their own.
import fs from "node:fs";
import path from "node:path";
import { precompress } from "./precompress.mjs";

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, "public/engine");
const suffix = ".worker.ts";

/** @type {import("esbuild").Plugin} Empty stand-ins for the Node modules that the WebAssembly packages import but use only on Node. */
export const absentNodeModules = {
  name: "absent-node-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(fs|path)$/ }, ({ path: name, importer }) =>
      /node_modules\/@foxglove\/wasm-/.test(importer) ? { path: name, namespace: "absent" } : null,
    );
    onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: "" }));
  },
};

/** @type {import("esbuild").Plugin} MapLibre's package says that none of its files does anything when it is imported; its thread does. */
const mapThread = {
  name: "map-thread",
  setup({ onResolve }) {
    onResolve({ filter: /^maplibre-gl\/dist\/maplibre-gl-worker\.mjs$/ }, ({ path: name }) => ({
      path: path.join(root, "node_modules", name),
      sideEffects: true,
    }));
  },
};

/** @type {import("esbuild").Plugin} Draco's own script is no module: threads load it as it is, when they meet a cloud of it. */
const dracoScript = {
  name: "draco-script",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]draco_wasm_wrapper\.js$/ }, ({ path: file }) => ({
      contents: fs.readFileSync(file),
      loader: "file",
    }));
  },
};

const rareEncodings = "engine/decode/rare-encodings.ts";

/** @type {import("esbuild").Plugin} Threads load what few recordings need when they meet it. */
const loadedWhenMet = {
  name: "loaded-when-met",
  setup({ onResolve }) {
    onResolve({ filter: /^@\/engine\/decode\/rare-encodings$/ }, () => ({
      path: path.join(root, "components/panels/rare-encodings.ts"),
    }));
  },
};

/** Writes the threads, and their addresses by name as workers.json, which pages import. */
export async function buildPageWorkers() {
  const { build, stop } = await import("esbuild");
  const sources = fs
    .readdirSync(path.join(root, "components"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(suffix));
  fs.rmSync(folder, { recursive: true, force: true });
  /** @type {import("esbuild").BuildOptions & { metafile: true }} */
  const options = {
    absWorkingDir: root,
    outdir: "public/engine",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    publicPath: "/engine/",
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    target: "es2022",
    loader: { ".wasm": "file" },
    metafile: true,
    logLevel: "silent",
  };
  const production = { "process.env.NODE_ENV": '"production"' };
  /** @param {import("esbuild").Metafile} metafile */
  const listAddresses = ({ outputs }) =>
    Object.entries(outputs).flatMap(([file, { entryPoint }]) =>
      entryPoint ? [[path.basename(entryPoint, suffix), `/engine/${path.basename(file)}`]] : [],
    );
  const rare = await build({
    ...options,
    entryPoints: [rareEncodings],
    globalName: "rareEncodings",
    plugins: [absentNodeModules],
    define: production,
  });
  const { metafile } = await build({
    ...options,
    entryPoints: sources.map((file) => `components/${file}`),
    plugins: [absentNodeModules, mapThread, dracoScript, loadedWhenMet],
    define: { ...production, rareEncodingsAddress: JSON.stringify(listAddresses(rare.metafile)[0]?.[1]) },
  });
  await stop();
  const addresses = listAddresses(metafile);
  await precompress(folder);
  fs.writeFileSync(path.join(folder, "workers.json"), JSON.stringify(Object.fromEntries(addresses)));
}
