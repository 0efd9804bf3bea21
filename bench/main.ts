import { benchApi } from "@/bench/api";
import { benchCut } from "@/bench/cut";
import { benchExports } from "@/bench/exports";
import { benchFill } from "@/bench/fill";
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
import { benchRows } from "@/bench/rows";
import { benchSeries } from "@/bench/series";
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
  rows: benchRows,
  panels: benchPanels,
  series: benchSeries,
  moments: benchMoments,
  items: benchItems,
  uploads: benchUploads,
};
/** They start what they need themselves, and take minutes. */
const alone: Record<string, () => Promise<void>> = { fill: benchFill };
/** They take minutes, so they run only when named. */
const onlyByName = new Set([
  "memory",
  "together",
  "previews",
  "sql",
  "cut",
  "fleet",
  "health",
  "rows",
  "panels",
  "series",
  "moments",
  "items",
  "uploads",
]);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts) && !(name in alone));
if (unknown.length > 0) {
  console.error(
    `No bench is called ${unknown.join(", ")}. There are: ${[...Object.keys(parts), ...Object.keys(alone)].join(", ")}.`,
  );
  process.exit(2);
}

for (const [name, part] of Object.entries(alone)) {
  if (!wanted.includes(name)) continue;
  console.log(`\n${name}`);
  await part();
}
const withProduct = Object.entries(parts).filter(([name]) =>
  wanted.length > 0 ? wanted.includes(name) : !onlyByName.has(name),
);
if (withProduct.length > 0) {
  const product = await startProduct();
  try {
    for (const [name, part] of withProduct) {
      console.log(`\n${name}`);
      await part(product);
    }
  } finally {
    await product.stop();
  }
}
const { kept, missed } = verdict();
console.log(`\n${kept} kept, ${missed} missed`);
process.exit(missed > 0 ? 1 : 0);
