import type { Product } from "@/bench/product";
import type { Credential } from "@/cli/api-client";

/** One request; undefined when no answer came, or one that says nothing. */
export type SendRequest = (method: string, at: string, body?: object) => Promise<Response | undefined>;

/** Asks the product through its API once, never again; a refusal, which no kill explains, becomes a complaint. */
export const createRequester =
  (product: Product, key: Credential, complaints: string[]): SendRequest =>
  async (method, at, body) => {
    try {
      const response = await fetch(`${product.url}/api/v1${at}`, {
        method,
        headers: { "content-type": "application/json", [key.header]: key.secret },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(60_000),
      });
      if (response.status < 500 && !response.ok)
        complaints.push(`${at} answered ${response.status}: ${await response.text()}`);
      return response.ok ? response : undefined;
    } catch {
      return undefined;
    }
  };

/** The answer's document; undefined when it was cut off. */
export const readDocument = async <T>(response: Response | undefined): Promise<T | undefined> =>
  (await response?.json().catch(() => undefined)) as T | undefined;
