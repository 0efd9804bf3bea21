// Compresses what the page build named by its content, once and as far as it goes, so that serving it costs no more
// than a read.
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);
const worthwhile = 1_024;

/** Writes `<file>.br` and `<file>.gz` beside every script, style and map-like text below `folder`. */
export async function precompress(folder) {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(js|css|svg|json|txt)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name));
  const work = files.values();
  // As many at once as zlib has threads; more would only hold their bytes.
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
