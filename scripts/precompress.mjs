// Compresses the static files of the page build once, at the highest level, so that serving one costs only a read.
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const worthwhile = 1_024;

/** Writes `<file>.br` and `<file>.gz` beside every file below `folder` that becomes smaller. */
export async function precompress(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|css|svg|json|txt|wasm)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  const work = files.values();
  // The concurrency is that of zlib's threads; more would only occupy memory.
  const lane = async () => {
    for (const file of work) {
      const bytes = fs.readFileSync(file);
      if (bytes.length < worthwhile) continue;
      const [br, gz] = await Promise.all([
        brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
        gzip(bytes, { level: 9 }),
      ]);
      fs.writeFileSync(`${file}.br`, br);
      fs.writeFileSync(`${file}.gz`, gz);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
}
