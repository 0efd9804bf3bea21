import path from "node:path";
import type { Page } from "@playwright/test";
import { build } from "esbuild";
import { checkAxe, expect, live, test, themes, widths } from "./fixtures";
import { makePictures } from "./pictures";

const root = path.dirname(import.meta.dirname);

/** The box and its count in a page of their own, as the screens with items put them. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { createElement as h, useState } from "react";
        import { createRoot } from "react-dom/client";
        import { FilterBox } from "@/components/item-filter/filter-box";
        import { ItemCount } from "@/components/item-filter/item-count";
        import { useItemCount } from "@/components/item-filter/use-item-count";
        import { ServerProvider } from "@/components/trpc/provider";
        function Box({ datasets }) {
          const [filter, setFilter] = useState("");
          const [runs, setRuns] = useState(0);
          const counted = useItemCount({ datasets, filter });
          return h("div", { className: "flex flex-col gap-3 px-4 pt-4" },
            h("h1", { className: "text-title" }, "Filter"),
            h(FilterBox, { datasets, value: filter, onChange: setFilter, onRun: () => setRuns(runs + 1), label: "Filter items" }),
            h(ItemCount, { counted, filter, onChange: setFilter }),
            h("output", { "aria-label": "Runs" }, runs),
            h("output", { "aria-label": "Filter" }, filter));
        }
        window.showFilterBox = (datasets) => {
          const main = document.createElement("main");
          document.body.replaceChildren(main);
          createRoot(main).render(h(ServerProvider, null, h(Box, { datasets })));
        };`,
      resolveDir: root,
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "iife",
    jsx: "automatic",
    alias: { "@": root },
    define: { "process.env.NODE_ENV": '"production"' },
    // Packages read variables that Next replaces.
    banner: { js: "globalThis.process ??= { env: {} };" },
    minify: true,
  });
  return outputFiles[0]?.text ?? "";
}

async function showBox(page: Page, datasets: readonly string[]): Promise<void> {
  await page.goto("/overview");
  await live(page);
  await page.evaluate(await bundle());
  await page.evaluate(
    (uids) => (window as unknown as { showFilterBox: (uids: unknown) => void }).showFilterBox(uids),
    datasets,
  );
  await expect(page.getByRole("textbox", { name: "Filter items" })).toBeVisible();
}

const box = (page: Page) => page.getByRole("textbox", { name: "Filter items" });
const held = (page: Page) => page.getByRole("status").filter({ hasText: /holds/ });

test("a filter is completed by Tab alone, counted while it is typed, and wrong words are marked", async ({
  page,
  api,
  request,
}) => {
  const names = ["front/a.png", "front/b.png", "rear/c.png", "rear/d.png"];
  const { uid } = await makePictures(api, request, names);
  await showBox(page, [uid]);
  await expect(held(page)).toHaveText("holds 4 of 4");

  await box(page).click();
  await page.keyboard.type("sta");
  await expect(page.getByRole("option", { name: /^status/ })).toBeVisible();
  await checkAxe(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("option", { name: /^= / })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("unat");
  await expect(page.getByRole("option", { name: /^unattempted.*4/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Filter", { exact: true })).toHaveText("status = unattempted ");
  await page.keyboard.type("AND (key ~ front OR metadata.wid");
  await expect(page.getByRole("option", { name: /^metadata\.width.*number, 4/ })).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.type("> 5");
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Filter", { exact: true })).toHaveText(
    "status = unattempted AND (key ~ front OR metadata.width > 5)",
  );
  await expect(held(page)).toHaveText("holds 2 of 4");
  const conditions = page.getByRole("table", { name: "What each condition removes" });
  await expect(conditions.getByRole("row").nth(2)).toContainText("(key ~ front OR metadata.width > 5)");
  await expect(conditions.getByRole("row").nth(2)).toContainText("2");
  await expect(page.getByRole("list", { name: "The newest of them" }).getByRole("listitem")).toHaveCount(2);

  await box(page).focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Delete");
  await expect(page.locator(".cm-filter-fault")).toHaveText("tatus");
  await expect(page.getByText('Unknown field "tatus".')).toBeVisible();
  await expect(held(page)).toHaveText("holds 2 of 4 before the last change");
  await page.keyboard.type("s");
  await expect(page.locator(".cm-filter-fault")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Runs")).toHaveText("1");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(box(page)).not.toBeFocused();
});

test("a filter that holds nothing loses the condition that removes most, and chips are the same text", async ({
  page,
  api,
  request,
}) => {
  const { uid } = await makePictures(api, request, ["front/a.png", "front/b.png", "rear/c.png"]);
  await showBox(page, [uid]);
  await box(page).click();
  await page.keyboard.type("key ~ front AND status = completed AND metadata.width = 1 ");
  await expect(page.getByText("No items match.")).toBeVisible();
  await page.getByRole("button", { name: "Without status = completed: 2" }).click();
  await expect(held(page)).toHaveText("holds 2 of 3");
  await expect(box(page)).toHaveText("key ~ front AND metadata.width = 1");

  await page.getByRole("button", { name: "Chips" }).click();
  for (const theme of themes)
    for (const size of [widths.desk, widths.phone]) {
      await page.setViewportSize(size);
      await page.evaluate((name) => (document.documentElement.dataset.theme = name), theme);
      await checkAxe(page);
    }
  await page.getByRole("button", { name: "Remove metadata.width = 1" }).first().click();
  await expect(page.getByLabel("Filter", { exact: true })).toHaveText("key ~ front");
  await page.getByRole("button", { name: "Condition" }).click();
  await expect(box(page)).toBeFocused();
  await page.keyboard.type("key = *.png OR key ~ rear");
  await expect(page.getByRole("button", { name: "Chips" })).toBeDisabled();
  await expect(held(page)).toHaveText("holds 3 of 3");
});
