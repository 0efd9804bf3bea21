import { benchApi } from "@/bench/api";
import { benchCut } from "@/bench/cut";
import { benchExports } from "@/bench/exports";
import { benchFleet } from "@/bench/fleet";
import { benchHealth } from "@/bench/health";
import { benchItems } from "@/bench/items";
import { benchLists } from "@/bench/lists";
import { benchMoments } from "@/bench/moments";
import { benchNotify } from "@/bench/notify";
import { benchPages } from "@/bench/pages";
import { benchPanels } from "@/bench/panels";
import { benchPass } from "@/bench/pass";
import { benchPreviews } from "@/bench/previews";
import { benchMemory, benchProcessing } from "@/bench/processing";
import { startProduct, type Product } from "@/bench/product";
import { verdict } from "@/bench/report";
import { benchSql } from "@/bench/sql";
import { benchTogether } from "@/bench/together";
import { benchUploads } from "@/bench/uploads";
import { benchWebhooks } from "@/bench/webhooks";

const parts: Record<string, (product: Product) => Promise<void>> = {
  notify: benchNotify,
  pass: benchPass,
  processing: benchProcessing,
  memory: benchMemory,
  together: benchTogether,
  previews: benchPreviews,
  sql: benchSql,
  api: benchApi,
  lists: benchLists,
  webhooks: benchWebhooks,
  exports: benchExports,
  cut: benchCut,
  pages: benchPages,
  fleet: benchFleet,
  health: benchHealth,
  panels: benchPanels,
  moments: benchMoments,
  items: benchItems,
  uploads: benchUploads,
};
/** They take minutes, so they run only when named. */
const onlyByName = new Set([
  "memory",
  "together",
  "previews",
  "sql",
  "cut",
  "fleet",
  "health",
  "panels",
  "moments",
  "items",
  "uploads",
]);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`No bench is called ${unknown.join(", ")}. There are: ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

const product = await startProduct();
try {
  for (const [name, part] of Object.entries(parts)) {
    if (wanted.length > 0 ? !wanted.includes(name) : onlyByName.has(name)) continue;
    console.log(`\n${name}`);
    await part(product);
  }
} finally {
  await product.stop();
}
const { kept, missed } = verdict();
console.log(`\n${kept} kept, ${missed} missed`);
process.exit(missed > 0 ? 1 : 0);
