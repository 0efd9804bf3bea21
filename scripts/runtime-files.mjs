// `node scripts/runtime-files.mjs FOLDER` copies what the built product needs at run time into a new folder: the traced
// files of the programs and the pages, not the packages whole, of which most is for building. For container images.
import fs from "node:fs";
import path from "node:path";
import { nodeFileTrace } from "@vercel/nft";
import { findBinaries } from "../server/platform/database/postgres-binaries.mjs";

const root = path.dirname(import.meta.dirname);
const toRelative = (file) => path.relative(root, file);

/** Files below a folder, relative to the checkout. */
const filesBelow = (folder) =>
  fs
    .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => toRelative(path.join(entry.parentPath, entry.name)));

/** The files that Next's build traced for one of its entries. */
function readTrace(file) {
  const { files } = JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
  return files.map((each) => toRelative(path.resolve(root, path.dirname(file), each)));
}

/** What only development needs, although it can be reached from a file that production runs too. */
const development = [
  "node_modules/tsx/**",
  "node_modules/esbuild/**",
  "node_modules/{rolldown,@rolldown}/**",
  "node_modules/typescript/**",
  "node_modules/caniuse-lite/**",
  "node_modules/next/dist/docs/**",
  "node_modules/next/dist/compiled/{next-devtools,postcss-preset-env}/**",
  // Next's own trace names the variant that is used.
  "node_modules/next/dist/compiled/next-server/**",
  "node_modules/next/dist/**/*.dev.js",
];

async function listRuntimeFiles() {
  const programs = filesBelow("dist").filter((file) => file.endsWith(".mjs"));
  const { fileList } = await nodeFileTrace(
    programs.map((file) => path.join(root, file)),
    { base: root, processCwd: root, ignore: development },
  );
  const pages = filesBelow(".next").filter((file) => !/^\.next\/(cache|diagnostics|types|trace|build\/)/.test(file));
  const traced = [".next/next-server.js.nft.json", ...pages.filter((file) => file.endsWith(".nft.json"))];
  const files = new Set([
    ...fileList,
    ...[...new Set(traced)].flatMap(readTrace),
    ...pages,
    ...filesBelow("public"),
    ...filesBelow("prisma/migrations"),
    // Next resolves these at its start, and imports none of them.
    ...filesBelow("node_modules/next/dist/compiled/webpack"),
    "node_modules/next/dist/compiled/@babel/runtime/package.json",
    // The database's programs are found by their package, which no import names.
    ...filesBelow(toRelative(path.join(findBinaries().folder, ".."))),
    // DuckDB for the platform that this is built on; one that it does not have answers without queries.
    ...(fs.existsSync(path.join(root, "node_modules/@duckdb")) ? filesBelow("node_modules/@duckdb") : []),
    // Found by names that no tracer resolves.
    ...filesBelow("node_modules/node-sqlite3-wasm/dist"),
    "node_modules/node-sqlite3-wasm/package.json",
    // Loaded by a name that no tracer resolves, and only there where it was compiled.
    ...["package.json", "binding.js", "build/Release/binding.node"].map((file) => `node_modules/zstd-napi/${file}`),
    "package.json",
    "dist/build.json",
    "next.config.mjs",
  ]);
  return [...files].filter((file) => !file.endsWith(".map") && !file.endsWith(".nft.json"));
}

/** Copies files and the links among them; a link keeps its target. */
function copy(files, target) {
  let bytes = 0;
  for (const file of files) {
    const from = path.join(root, file);
    const to = path.join(target, file);
    const stat = fs.lstatSync(from, { throwIfNoEntry: false });
    if (!stat || stat.isDirectory()) continue; // of a package that this platform lacks
    fs.mkdirSync(path.dirname(to), { recursive: true });
    if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
    else fs.copyFileSync(from, to);
    bytes += stat.size;
  }
  return bytes;
}

const [target] = process.argv.slice(2);
if (!target) {
  console.error("usage: node scripts/runtime-files.mjs FOLDER");
  process.exit(1);
}
const files = await listRuntimeFiles();
fs.mkdirSync(target, { recursive: true });
if (fs.readdirSync(target).length > 0) throw new Error(`${target} is not empty`);
const bytes = copy(files, path.resolve(target));
console.log(`${files.length} files, ${(bytes / 1e6).toFixed(0)} MB`);
