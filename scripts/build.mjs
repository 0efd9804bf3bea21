// `npm run build`: set-up and build without a start. What runs is left alone until all is complete; a failed or killed build
// changes nothing of it. `-- --after FOLDER` is the checkout that runs until then, whose open pages are to go on.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { bootstrapOrExit, root } from "./bootstrap.mjs";
import { copyLastBuild } from "./last-build.mjs";
import { buildZstd } from "./native-zstd.mjs";

const { values: options } = parseArgs({ options: { after: { type: "string" } } });
const after = options.after === undefined ? undefined : path.resolve(options.after);
process.chdir(root);
await bootstrapOrExit("product");
if (after !== undefined) copyLastBuild(root, after);
const report = await buildZstd();
if (report) console.log(report);
const read = (file) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
console.log(`Muster ${read("package.json").version} is built (${read("dist/build.json").commit ?? "no commit"}).`);
