import type { Product } from "@/bench/product";
import type { Credential } from "@/cli/client/api-client";

/** Sends one request; undefined when it failed or was refused. */
export type SendRequest = (method: string, at: string, body?: object) => Promise<Response | undefined>;

/** Sends requests without retrying; a 4xx response, which no kill explains, becomes a complaint. */
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
        complaints.push(`${at} responded ${response.status}: ${await response.text()}`);
      return response.ok ? response : undefined;
    } catch {
      return undefined;
    }
  };

/** The JSON of a response; undefined when it was cut off. */
export const readDocument = async <T>(response: Response | undefined): Promise<T | undefined> =>
  (await response?.json().catch(() => undefined)) as T | undefined;
