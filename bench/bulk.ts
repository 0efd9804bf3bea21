import type { Browser } from "@playwright/test";
import { freshPage } from "@/bench/browser";
import type { Product } from "@/bench/product";

const ownPage = { "sec-fetch-site": "same-origin" };

interface Edit {
  uid: string;
  status: string;
  done_count: number;
}

interface Reply {
  result: { data: Edit };
}

/**
 * A change of every item of a dataset, in milliseconds: until the request is answered, and until the last item has it.
 */
export async function bulkFigures(
  browser: Browser,
  product: Product,
  kind: "updateMany" | "deleteMany",
  { dataset, items, ...change }: { dataset: string; items: number; metadata?: object },
): Promise<{ request: number; all: number }> {
  const { request, close } = await openPage(browser, product);
  try {
    const begun = performance.now();
    const started = await request.post(`/api/trpc/items.${kind}`, {
      data: { dataset, filter: "", expected: items, ...change },
      headers: ownPage,
    });
    if (!started.ok()) throw new Error(`the bulk edit was refused: ${await started.text()}`);
    const requested = performance.now() - begun;
    let edit = ((await started.json()) as Reply).result.data;
    const input = encodeURIComponent(JSON.stringify({ uid: edit.uid }));
    while (edit.status === "running") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      edit = ((await (await request.get(`/api/trpc/items.edit?input=${input}`)).json()) as Reply).result.data;
    }
    if (edit.done_count !== items) throw new Error(`${edit.done_count} of ${items} items were changed`);
    return { request: requested, all: performance.now() - begun };
  } finally {
    await close();
  }
}

async function openPage(browser: Browser, product: Product) {
  const page = await freshPage(browser, product);
  return { request: page.request, close: () => page.context().close() };
}
