// `node scripts/compile-wasm.mjs` compiles the C sources of the engine with clang and wasm-ld (Debian: clang, lld), each
// into a .wasm file beside it, and writes `<name>-wasm.ts`, which holds the same bytes as text, so that every bundler and
// every browser can load them. With `--check` it writes nothing, and fails unless the committed modules are what the
// compiler makes.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const sources = ["engine/formats/codecs/lz4", "engine/columns/extremes"];
const flags =
  "--target=wasm32 -O3 -msimd128 -mbulk-memory -nostdlib -Wl,--no-entry,--import-memory,--strip-all,-z,stack-size=8192";

for (const source of sources) {
  const at = path.join(path.dirname(import.meta.dirname), source);
  const name = path.basename(source);
  const temporary = path.join(os.tmpdir(), `${name}-${process.pid}.wasm`);
  execFileSync("clang", [...flags.split(" "), "-o", temporary, `${at}.c`], { stdio: ["ignore", "ignore", "inherit"] });
  const bytes = fs.readFileSync(temporary);
  fs.rmSync(temporary);
  if (process.argv.includes("--check")) {
    if (bytes.equals(fs.readFileSync(`${at}.wasm`))) continue;
    console.error(`${source}.wasm is not what clang makes of ${name}.c.`);
    process.exit(1);
  }
  fs.writeFileSync(`${at}.wasm`, bytes);
  const lines = (bytes.toString("base64").match(/.{1,100}/g) ?? []).map((line) => `  "${line}",`).join("\n");
  const origin = `// Written by scripts/compile-wasm.mjs from ${name}.c: the bytes of ${name}.wasm.`;
  fs.writeFileSync(`${at}-wasm.ts`, `${origin}\nexport const ${name}Wasm = [\n${lines}\n].join("");\n`);
}
