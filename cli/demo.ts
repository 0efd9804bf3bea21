import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import { ApiClient, CommandError, RetryPolicy } from "@/cli/client/api-client";
import type { DemoStatus } from "@/server/demo/resource";

export interface DemoOptions {
  url: string;
  key: string;
  /** Ten short recordings in place of thirty. */
  quick: boolean;
  print: (line: string) => void;
}

const demoApi = ({ url, key, print }: Pick<DemoOptions, "url" | "key" | "print">): ApiClient => {
  if (!URL.canParse(url)) throw new CommandError(`${url} is no address. Give one such as http://127.0.0.1:3000.`);
  return new ApiClient(
    new URL(url).origin,
    { header: "x-service-api-key", secret: key },
    () => new RetryPolicy(9, 1_000, print),
  );
};

/** Asks for the demo fleet and waits until it is complete, with a line whenever more of it is there. */
export async function makeDemo(options: DemoOptions): Promise<DemoStatus> {
  const api = demoApi(options);
  const read = () => api.call<DemoStatus>("GET", "/fleet/demo/", "Reading the state of the demo fleet");
  if ((await read()).state !== "none")
    throw new CommandError("The demo fleet is there already. Remove it first: muster demo --remove");
  let status = await api.call<DemoStatus>("POST", "/fleet/demo/", "Creating the demo fleet", { quick: options.quick });
  options.print("The demo fleet is being created …");
  for (let shown = 0; status.state === "making"; status = await read()) {
    if (status.processed >= shown + 5) {
      shown = status.processed;
      options.print(`${status.processed} recordings processed, ${status.alerts} alerts`);
    }
    await sleep(500);
  }
  if (status.state !== "ready")
    throw new CommandError("The demo fleet could not be completed. Remove it, then start again: muster demo --remove");
  return status;
}

/** Removes the demo fleet with all that belongs to it, and nothing else. */
export const removeDemo = async (options: Pick<DemoOptions, "url" | "key" | "print">): Promise<void> => {
  await demoApi(options).call("DELETE", "/fleet/demo/", "Removing the demo fleet");
};

interface CommandOptions {
  url: string;
  key?: string;
  quick?: boolean;
  remove?: boolean;
}

async function demo(given: CommandOptions): Promise<void> {
  if (given.key === undefined) throw new CommandError("Give an API key: --key or MUSTER_API_KEY.");
  const print = (line: string) => void process.stderr.write(`${line}\n`);
  const options = { url: given.url, key: given.key, quick: given.quick ?? false, print };
  if (given.remove) {
    await removeDemo(options);
    return print("The demo fleet was removed.");
  }
  const { devices, processed, alerts } = await makeDemo(options);
  print(
    `Ready: ${devices} devices, ${processed} recordings, ${alerts} alerts. Remove all of it with: muster demo --remove`,
  );
}

export const demoCommand = (): Command =>
  new Command("demo")
    .description("Fill the organization with a demo fleet: 12 robots whose recordings run through the real pipeline.")
    .addOption(new Option("--url <address>", "where Muster is").env("MUSTER_URL").default("http://127.0.0.1:3000"))
    .addOption(new Option("--key <key>", "an API key of the organization").env("MUSTER_API_KEY"))
    .option("--quick", "ten recordings of two minutes in place of thirty longer ones")
    .option("--remove", "remove the demo fleet with everything that belongs to it")
    .action(demo);
