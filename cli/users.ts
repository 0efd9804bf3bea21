import { randomBytes } from "node:crypto";
import { text as streamText } from "node:stream/consumers";
import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { parseOptions, reportRefusal, type OptionNames } from "@/cli/client/input";
import { withDatabase } from "@/cli/with-database";
import { CreateUser } from "@/domain/organizations/schema";
import type { KnownUser, ListedUser } from "@/server/features/accounts/directory-service";

/** The actor's name in the audit log. */
export const commandLine = "command line";

/** Finds the user named at the terminal, inside `withDatabase`. Throws a CommandError when there is none. */
export async function requireKnownUser(nameOrEmail: string): Promise<KnownUser> {
  const { findUser } = await import("@/server/features/accounts/directory-service");
  const user = await findUser(nameOrEmail);
  if (!user) throw new CommandError(`There is no user "${nameOrEmail}". Give a username or an e-mail address.`);
  return user;
}

async function makeStaff(nameOrEmail: string, { revoke = false }: { revoke?: boolean }): Promise<void> {
  await withDatabase(async () => {
    const { setStaff } = await import("@/server/features/accounts/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    if (user.staff === !revoke)
      return console.error(`${user.username} is ${revoke ? "not" : "already"} staff; nothing changed.`);
    await setStaff(user, !revoke, commandLine);
    console.error(
      `${user.username} is ${revoke ? "no longer" : "now"} staff. Sessions and unscoped keys notice with their next request.`,
    );
  });
}

interface CreateOptions {
  organization?: string;
  role: string;
  organizationName?: string;
  passwordStdin?: boolean;
}

const optionNames: OptionNames = {
  email: "<email>",
  password: "the password",
  role: "--role",
  organization_name: "--organization-name",
};

/** The password on standard input without its line end, or a new one. */
async function readPassword(fromStdin: boolean): Promise<{ password: string; generated: boolean }> {
  if (!fromStdin) return { password: randomBytes(15).toString("base64url"), generated: true };
  return { password: (await streamText(process.stdin)).replace(/\r?\n$/, ""), generated: false };
}

/** A generated password is the only output, so that it can be piped. */
function reportPassword(message: string, { password, generated }: { password: string; generated: boolean }): void {
  console.error(generated ? `${message} The password, which can be changed in the profile:` : message);
  if (generated) console.log(password);
}

async function create(email: string, options: CreateOptions): Promise<void> {
  const given = await readPassword(options.passwordStdin === true);
  const { password } = given;
  const input = parseOptions(
    CreateUser,
    { email, password, role: options.role, organization_name: options.organizationName },
    optionNames,
  );
  await withDatabase(async () => {
    const { createUser } = await import("@/server/features/accounts/directory-service");
    const made = await createUser(input, options.organization ?? null, commandLine).catch((error: unknown) => {
      throw reportRefusal(error, optionNames);
    });
    reportPassword(`Created ${made.username}, ${made.role} of ${made.organization}.`, given);
  });
}

async function list(): Promise<void> {
  await withDatabase(async () => {
    const { listUsers } = await import("@/server/features/accounts/directory-service");
    for (let after: string | null = ""; after !== null;) {
      const page: ListedUser[] = await listUsers(after);
      for (const user of page) {
        const marks = [user.disabled && "disabled", user.staff && "staff", !user.email_verified && "unconfirmed"];
        const places = user.organizations.map(({ slug, role }) => `${role} of ${slug}`);
        console.log([user.uid, user.username, user.email, ...marks.filter(Boolean), ...places].join("  "));
      }
      after = page.at(-1)?.uid ?? null;
    }
  });
}

async function disable(nameOrEmail: string, { enable = false }: { enable?: boolean }): Promise<void> {
  await withDatabase(async () => {
    const { setDisabled } = await import("@/server/features/accounts/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    await setDisabled(user, !enable, commandLine);
    console.error(
      enable
        ? `${user.username} can sign in again, and their keys are valid.`
        : `${user.username} cannot sign in any more; their sessions are ended and their keys refused.`,
    );
  });
}

async function resetPassword(nameOrEmail: string, options: { passwordStdin?: boolean }): Promise<void> {
  const given = await readPassword(options.passwordStdin === true);
  const { password } = parseOptions(CreateUser.pick({ password: true }), given, optionNames);
  await withDatabase(async () => {
    const { setPassword } = await import("@/server/features/accounts/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    await setPassword(user, password, commandLine).catch((error: unknown) => {
      throw reportRefusal(error, optionNames);
    });
    reportPassword(`${user.username} has a new password; their sessions are ended.`, given);
  });
}

async function resetSecondFactor(nameOrEmail: string): Promise<void> {
  await withDatabase(async () => {
    const { resetSecondFactor: reset } = await import("@/server/features/accounts/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    const removed = await reset(user, commandLine);
    console.error(
      removed
        ? `${user.username} signs in without a second factor until they set one up again; their sessions are ended.`
        : `${user.username} has no second factor; nothing changed.`,
    );
  });
}

async function unlink(nameOrEmail: string): Promise<void> {
  await withDatabase(async () => {
    const { removeIdentities } = await import("@/server/features/accounts/directory-service");
    const user = await requireKnownUser(nameOrEmail);
    const count = await removeIdentities(user, commandLine);
    console.error(
      count === 0
        ? `${user.username} has not signed in by OpenID Connect; nothing changed.`
        : `${user.username} is joined again when somebody with their address signs in by OpenID Connect.`,
    );
  });
}

const passwordOption = ["--password-stdin", "read the password from standard input instead of generating one"] as const;

export const usersCommand = (): Command =>
  new Command("users")
    .description("Manage the users of this installation.")
    .addCommand(
      new Command("create")
        .description("Create an account, whatever SIGNUP says, also the first one. Prints its password.")
        .argument("<email>", "its e-mail address, which counts as confirmed")
        .option("--organization <slug>", "the organization it joins; without it, it gets one of its own")
        .option("--role <role>", "its role in that organization: member or admin", "member")
        .option("--organization-name <name>", "what its own organization is called")
        .option(...passwordOption)
        .action(create),
    )
    .addCommand(new Command("list").description("List the accounts and their organizations.").action(list))
    .addCommand(
      new Command("disable")
        .description("End the sessions of an account, refuse its keys and let it sign in no more.")
        .argument("<user>", "username or e-mail address")
        .option("--enable", "undo it; sessions stay ended")
        .action(disable),
    )
    .addCommand(
      new Command("reset-password")
        .description("Set a new password, end the account's sessions, and print the password.")
        .argument("<user>", "username or e-mail address")
        .option(...passwordOption)
        .action(resetPassword),
    )
    .addCommand(
      new Command("reset-second-factor")
        .description("Remove a lost second factor with its recovery codes, and end the account's sessions.")
        .argument("<user>", "username or e-mail address")
        .action(resetSecondFactor),
    )
    .addCommand(
      new Command("unlink")
        .description(
          "Separate an account from its identity at the OpenID Connect issuer, such as after a new one there.",
        )
        .argument("<user>", "username or e-mail address")
        .action(unlink),
    )
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
