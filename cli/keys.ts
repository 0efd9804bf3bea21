import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { parseOptions, reportRefusal, type OptionNames } from "@/cli/client/input";
import { commandLine, requireKnownUser } from "@/cli/users";
import { withDatabase } from "@/cli/with-database";
import { CreateKey } from "@/domain/api-keys/schema";
import { scopes } from "@/domain/permissions";
import { isUuid } from "@/domain/uid";
import type { KnownUser } from "@/server/features/accounts/directory-service";
import type { KeyResource } from "@/server/features/api-keys/resource";
import { systemContext, type Ctx } from "@/server/platform/context";

const optionNames: OptionNames = { name: "--name", scopes: "--scopes", expiry: "--expires" };

interface CreateOptions {
  user: string;
  organization?: string;
  name: string;
  scopes?: string;
  expires?: string;
}

/** Turns `2027-01-31` into the end of that day (UTC); returns other values unchanged. */
const parseExpiry = (expires: string | undefined): string | undefined =>
  expires !== undefined && /^\d{4}-\d\d-\d\d$/.test(expires) ? `${expires}T23:59:59Z` : expires;

const describe = (
  key: Pick<KeyResource, "name" | "prefix" | "last_four" | "scopes" | "username" | "expires_at" | "state" | "uid">,
) =>
  [
    key.uid,
    `${key.prefix}…${key.last_four}`,
    key.state,
    `user ${key.username}`,
    key.scopes.length === 0 ? "full access" : key.scopes.join(","),
    key.expires_at === null ? "never expires" : `expires ${key.expires_at}`,
    JSON.stringify(key.name),
  ].join("  ");

/** Returns the organization in which a command acts: the named one or the only one. Throws a CommandError. */
function findOrganization(user: KnownUser, slug: string | undefined): { uid: string; slug: string } {
  const { organizations } = user;
  const found =
    slug === undefined
      ? organizations.length === 1
        ? organizations[0]
        : undefined
      : organizations.find((each) => each.slug === slug);
  if (found) return found;
  const list = organizations.map((each) => each.slug).join(", ");
  throw new CommandError(
    slug === undefined
      ? `${user.username} is in ${organizations.length} organizations (${list}). Name one with --organization.`
      : `${user.username} is not in an organization "${slug}", but in: ${list}.`,
  );
}

async function contextIn(organizationId: string): Promise<Ctx> {
  const { prisma } = await import("@/server/platform/db");
  return systemContext(prisma, organizationId, commandLine);
}

async function create(options: CreateOptions): Promise<void> {
  const input = parseOptions(
    CreateKey,
    {
      name: options.name,
      ...(options.scopes !== undefined && {
        scopes: options.scopes
          .split(",")
          .map((scope) => scope.trim())
          .filter(Boolean),
      }),
      ...(options.expires !== undefined && { expiry: parseExpiry(options.expires) }),
    },
    optionNames,
  );
  await withDatabase(async () => {
    const { createKey } = await import("@/server/features/api-keys/service");
    const user = await requireKnownUser(options.user);
    const organization = findOrganization(user, options.organization);
    const created = await createKey(await contextIn(organization.uid), { ...input, userId: user.uid }).catch(
      (error: unknown) => {
        throw reportRefusal(error, optionNames);
      },
    );
    console.error(`In ${organization.slug}: ${describe(created)}\nThe key is shown this once:`);
    console.log(created.key);
  });
}

async function revokeOne(uidOrKey: string): Promise<void> {
  const { sha256 } = await import("@/server/platform/crypto");
  const { organizationOfKey } = await import("@/server/features/accounts/directory-service");
  const { revokeKey } = await import("@/server/features/api-keys/service");
  const found = await organizationOfKey(isUuid(uidOrKey) ? { uid: uidOrKey } : { hash: sha256(uidOrKey) });
  if (!found) throw new CommandError("There is no such key. Give its uid (see: keys list) or the key itself.");
  console.error(`Revoked: ${describe(await revokeKey(await contextIn(found.organizationId), found.uid))}`);
}

async function revokeAll(options: { user: string; organization?: string }): Promise<void> {
  const { revokeKey } = await import("@/server/features/api-keys/service");
  const user = await requireKnownUser(options.user);
  const keys = (await listKeys(user, options.organization)).filter(({ key }) => key.state !== "revoked");
  for (const { key, ctx } of keys) await revokeKey(ctx, key.uid);
  console.error(`Revoked ${keys.length} key${keys.length === 1 ? "" : "s"} of ${user.username}.`);
}

async function listKeys(
  user: KnownUser,
  slug: string | undefined,
): Promise<{ key: KeyResource; ctx: Ctx; slug: string }[]> {
  const { listKeys } = await import("@/server/features/api-keys/service");
  const organizations = slug === undefined ? user.organizations : [findOrganization(user, slug)];
  const found: { key: KeyResource; ctx: Ctx; slug: string }[] = [];
  for (const organization of organizations) {
    const ctx = await contextIn(organization.uid);
    for (let cursor: string | undefined; ;) {
      const page = await listKeys(ctx, { limit: 1_000, cursor });
      found.push(
        ...page.results
          .filter((key) => key.user_uid === user.uid)
          .map((key) => ({ key, ctx, slug: organization.slug })),
      );
      if (page.next === null) break;
      cursor = page.next;
    }
  }
  return found;
}

async function revoke(
  key: string | undefined,
  options: { user?: string; organization?: string; all?: boolean },
): Promise<void> {
  const { user } = options;
  if (key !== undefined) {
    if (options.all) throw new CommandError("Give either a key or --all, not both.");
    await withDatabase(() => revokeOne(key));
  } else if (options.all && user !== undefined) {
    await withDatabase(() => revokeAll({ ...options, user }));
  } else {
    throw new CommandError("Give a key's uid, or --user NAME --all to revoke every key of a user.");
  }
}

async function list(options: { user: string; organization?: string }): Promise<void> {
  await withDatabase(async () => {
    const user = await requireKnownUser(options.user);
    const keys = await listKeys(user, options.organization);
    for (const { key, slug } of keys) console.log(`${slug}  ${describe(key)}`);
    if (keys.length === 0) console.error(`${user.username} has no keys.`);
  });
}

const withOrganization = (command: Command): Command =>
  command.option("--organization <slug>", "the organization, for a user who is in several");
const databaseHelp = "\nWorks on the database of DATA_DIR or DATABASE_URL, whether or not Muster is running.";

export const keysCommand = (): Command =>
  new Command("keys")
    .description("Create, list and revoke API keys.")
    .addCommand(
      withOrganization(
        new Command("create").description("Create an API key. Only the key is written to standard output."),
      )
        .requiredOption("--user <user>", "username or e-mail address of the user as whom the key acts")
        .option("--name <name>", "the name of the key", "Command line")
        .option("--scopes <list>", "comma-separated scopes; without them, full access to the organization")
        .option(
          "--expires <when>",
          "30, 90 or 365 (days), never, or a date; default: as long as the organization allows",
        )
        .addHelpText("after", `\nScopes: ${scopes.join(", ")}\n${databaseHelp}`)
        .action(create),
    )
    .addCommand(
      withOrganization(
        new Command("list").description("List the keys of a user. The keys themselves are not stored and not shown."),
      )
        .requiredOption("--user <user>", "username or e-mail address")
        .addHelpText("after", databaseHelp)
        .action(list),
    )
    .addCommand(
      withOrganization(
        new Command("revoke").description("Revoke an API key permanently: the next request with it is refused."),
      )
        .argument("[key]", "the key's uid (see: keys list), or the key itself")
        .option("--user <user>", "with --all: username or e-mail address")
        .option("--all", "revoke every key of the user")
        .addHelpText("after", databaseHelp)
        .action(revoke),
    );
