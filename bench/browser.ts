import type { Browser, Page } from "@playwright/test";
import { person, type Product } from "@/bench/product";

/** A signed-in page in a browser that has nothing cached. */
export async function freshPage(browser: Browser, product: Product): Promise<Page> {
  const context = await browser.newContext({ baseURL: product.url, viewport: { width: 1440, height: 900 } });
  const { csrfToken } = (await (await context.request.get("/api/auth/csrf")).json()) as { csrfToken: string };
  await context.request.post("/api/auth/callback/credentials", {
    form: { ...person, csrfToken, json: "true" },
    headers: { "sec-fetch-site": "same-origin" },
  });
  return context.newPage();
}
