// `node scripts/compile-lz4.mjs` compiles engine/formats/lz4.c with clang and wasm-ld (Debian: clang, lld) into lz4.wasm
// beside it, and writes lz4-wasm.ts, which holds the same bytes as text, so that every bundler and every browser can load
// them. With `--check` it writes nothing, and fails unless the committed module is what the compiler makes.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const at = (name) => path.join(path.dirname(import.meta.dirname), "engine/formats", name);

const temporary = path.join(os.tmpdir(), `lz4-${process.pid}.wasm`);
const flags =
  "--target=wasm32 -O3 -msimd128 -mbulk-memory -nostdlib -Wl,--no-entry,--import-memory,--strip-all,-z,stack-size=8192";
execFileSync("clang", [...flags.split(" "), "-o", temporary, at("lz4.c")], { stdio: ["ignore", "ignore", "inherit"] });
const bytes = fs.readFileSync(temporary);
fs.rmSync(temporary);

if (process.argv.includes("--check")) {
  if (bytes.equals(fs.readFileSync(at("lz4.wasm")))) process.exit(0);
  console.error("engine/formats/lz4.wasm is not what clang makes of lz4.c.");
  process.exit(1);
}
fs.writeFileSync(at("lz4.wasm"), bytes);
const lines = (bytes.toString("base64").match(/.{1,100}/g) ?? []).map((line) => `  "${line}",`).join("\n");
fs.writeFileSync(
  at("lz4-wasm.ts"),
  `// Written by scripts/compile-lz4.mjs from lz4.c: the bytes of lz4.wasm.\nexport const lz4Wasm = [\n${lines}\n].join("");\n`,
);
