import { Option, type Command } from "commander";
import { ApiClient, CommandError, getOrigin, RetryPolicy } from "@/cli/client/api-client";

/** Which Muster a command calls, and as whom. */
export interface ClientOptions {
  url: string;
  key?: string;
}

/** Adds the options of commands that call a running Muster with an API key. */
export const withClient = (command: Command): Command =>
  command
    .addOption(new Option("--key <key>", "an API key").env("MUSTER_API_KEY"))
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"));

/** Collects the values of an option that may be given several times. */
export const collect = (value: string, values: string[]): string[] => [...values, value];

const maxFailures = 9;

/** How a command calls Muster. */
export interface Connection {
  api: ApiClient;
  retryPolicy: () => RetryPolicy;
}

/** A client with the retries of transfers. `backoffMs`: the first pause after a failure. */
export function openClient({ url, key }: ClientOptions, print: (line: string) => void, backoffMs = 1_000): Connection {
  if (key === undefined) throw new CommandError("Give an API key: --key or MUSTER_API_KEY.");
  const retryPolicy = () => new RetryPolicy(maxFailures, backoffMs, print);
  return {
    api: new ApiClient(getOrigin(url), { header: "x-service-api-key", secret: key }, retryPolicy),
    retryPolicy,
  };
}
