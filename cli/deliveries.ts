import { Command, Option } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { parseLimit } from "@/cli/client/input";
import { printTable, toCell } from "@/cli/client/table";
import { commandLine } from "@/cli/users";
import { withDatabase } from "@/cli/with-database";
import type { OutboxName } from "@/server/features/deliveries/operator-service";
import { isServiceError } from "@/server/platform/errors";

interface ListOptions {
  failed?: boolean;
  outbox?: OutboxName;
  organization?: string;
  before: string;
  limit: string;
  json?: boolean;
}

async function list({ limit: given, json, failed = false, ...filters }: ListOptions): Promise<void> {
  const limit = parseLimit(given);
  await withDatabase(async () => {
    const { listDeliveries } = await import("@/server/features/deliveries/operator-service");
    const deliveries = await listDeliveries({ ...filters, failed, limit });
    if (json) return console.log(JSON.stringify(deliveries, null, 2));
    printTable(
      ["UID", "OUTBOX", "ORGANIZATION", "EVENT", "STATUS", "ATTEMPTS", "NEXT ATTEMPT", "ERROR"],
      deliveries.map(({ uid, outbox, organization, event, status, attempts, next_attempt_at: next, error }) => [
        uid,
        outbox,
        organization,
        event,
        status,
        String(attempts),
        next ?? "",
        toCell(error),
      ]),
    );
    if (deliveries.length === limit) console.error(`There may be older ones: --before ${deliveries.at(-1)?.uid}`);
  });
}

async function retry(uids: string[]): Promise<void> {
  await withDatabase(async () => {
    const { retryDelivery } = await import("@/server/features/deliveries/operator-service");
    const refused: string[] = [];
    for (const uid of uids) {
      await retryDelivery(uid, commandLine).catch((error: unknown) => {
        if (!isServiceError(error)) throw error;
        refused.push(
          `${uid}: ${error.code === "not_found" ? "There is none, or its receiver was deleted." : error.message}`,
        );
      });
    }
    const sent = uids.length - refused.length;
    console.error(`${sent} ${sent === 1 ? "delivery is" : "deliveries are"} sent again.`);
    if (refused.length > 0) throw new CommandError(refused.join("\n"));
  });
}

export const deliveriesCommand = (): Command =>
  new Command("deliveries")
    .description("See what is sent to webhooks, channels and agents, and send it again.")
    .addCommand(
      new Command("list")
        .description("List deliveries of every organization, the newest first.")
        .option("--failed", "only those that failed and are not sent any more")
        .addOption(
          new Option("--outbox <name>", "only those of one outbox").choices(["webhooks", "channels", "agents"]),
        )
        .option("--organization <slug>", "only those of one organization")
        .option("--before <uid>", "only older ones than this", "")
        .option("--limit <count>", "at most so many", "100")
        .option("--json", "print JSON")
        .action(list),
    )
    .addCommand(
      new Command("retry")
        .description("Send deliveries again: a webhook's as a new delivery, others with all of their attempts.")
        .argument("<uids...>", "uids of deliveries")
        .action(retry),
    );
