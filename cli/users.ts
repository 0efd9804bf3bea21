import { Command } from "commander";
import { CommandError } from "@/cli/api-client";
import { withDatabase } from "@/cli/with-database";
import type { KnownUser } from "@/server/features/organizations/directory-service";

/** The actor's name in the audit log. */
export const commandLine = "command line";

/** Finds the user named at the terminal, inside `withDatabase`. Throws a CommandError when there is none. */
export async function requireKnownUser(nameOrEmail: string): Promise<KnownUser> {
  const { findUser } = await import("@/server/features/organizations/directory-service");
  const user = await findUser(nameOrEmail);
  if (!user) throw new CommandError(`There is no user "${nameOrEmail}". Give a username or an e-mail address.`);
  return user;
}

async function makeStaff(nameOrEmail: string, { revoke = false }: { revoke?: boolean }): Promise<void> {
  await withDatabase(async () => {
    const { setStaff } = await import("@/server/features/organizations/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    if (user.staff === !revoke)
      return console.error(`${user.username} is ${revoke ? "not" : "already"} staff; nothing changed.`);
    await setStaff(user, !revoke, commandLine);
    console.error(
      `${user.username} is ${revoke ? "no longer" : "now"} staff. Sessions and unscoped keys notice with their next request.`,
    );
  });
}

export const usersCommand = (): Command =>
  new Command("users")
    .description("Manage the users of this installation.")
    .addCommand(
      new Command("make-staff")
        .description(
          "Give a user staff access: to what concerns the installation as a whole, such as the tool endpoint.",
        )
        .argument("<user>", "username or e-mail address")
        .option("--revoke", "take staff access away instead")
        .addHelpText("after", "\nWorks on the database of DATA_DIR or DATABASE_URL, whether or not Muster is running.")
        .action(makeStaff),
    );
