import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { withDatabase } from "@/cli/with-database";

async function rotate(): Promise<void> {
  await withDatabase(async () => {
    const { rotateSecrets } = await import("@/server/features/secrets/rotation-service");
    const { resealed, current, unreadable } = await rotateSecrets();
    console.error(`Sealed ${resealed} again with the first secret; ${current} were already.`);
    if (unreadable.length === 0) return;
    throw new CommandError(`No secret opens these, which have to be entered again:\n${unreadable.join("\n")}`);
  });
}

export const secretsCommand = (): Command =>
  new Command("secrets")
    .description("Manage the secrets that encrypt and sign (AUTH_SECRETS).")
    .addCommand(
      new Command("rotate")
        .description("Seal everything in the database again with the first of AUTH_SECRETS.")
        .addHelpText(
          "after",
          "\nPut a new secret in front of AUTH_SECRETS and restart Muster, run this, then remove the old one.",
        )
        .action(rotate),
    );
