import autocannon from "autocannon";

export interface Load {
  url: string;
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string;
  seconds: number;
  connections?: number;
}

/** Requests per second of one endpoint under load. Throws when any response is not 2xx. */
async function load({ url, method = "GET", headers = {}, body, seconds, connections = 16 }: Load): Promise<number> {
  const result = await autocannon({
    url,
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body }),
    duration: seconds,
    connections,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${method} ${url}: ${result.non2xx} responses were not 2xx, ${result.errors} failed`);
  }
  return result.requests.average;
}

/** Loads product and anchor in turns, after a warm-up of each; returns the best round of each. */
export async function compare(product: Load, anchor: Load, rounds = 3): Promise<{ product: number; anchor: number }> {
  for (const side of [product, anchor]) await load({ ...side, seconds: 2 });
  const best = { product: 0, anchor: 0 };
  for (let round = 0; round < rounds; round++) {
    best.product = Math.max(best.product, await load(product));
    best.anchor = Math.max(best.anchor, await load(anchor));
  }
  return best;
}
