import { Command } from "commander";
import { CommandError } from "@/cli/client/api-client";
import { printTable, toCell } from "@/cli/client/table";
import { commandLine } from "@/cli/users";
import { withDatabase } from "@/cli/with-database";
import type { ListedOrganization } from "@/server/features/organizations/installation-service";

const units: Readonly<Record<string, bigint>> = { "": 1n, kb: 10n ** 3n, mb: 10n ** 6n, gb: 10n ** 9n, tb: 10n ** 12n };
const largest = 2n ** 53n - 1n;

/** Bytes such as `5000000000` or `5GB`, null for `none`. Throws a CommandError. */
function parseBytes(given: string): bigint | null {
  if (given === "none") return null;
  const [, number, unit = ""] = /^(\d{1,15})\s*([kmgt]?b)?$/i.exec(given.trim()) ?? [];
  const factor = units[unit.toLowerCase() === "b" ? "" : unit.toLowerCase()];
  const bytes = number === undefined || factor === undefined ? undefined : BigInt(number) * factor;
  if (bytes === undefined || bytes > largest)
    throw new CommandError(`"${given}" is not a number of bytes such as 5000000000, 5GB or none.`);
  return bytes;
}

const group = (bytes: number): string => new Intl.NumberFormat("en-US").format(bytes);

async function quota(slug: string, given: string | undefined): Promise<void> {
  const bytes = given === undefined ? undefined : parseBytes(given);
  await withDatabase(async () => {
    const { findOrganization, getQuota, setQuota } = await import("@/server/features/organizations/quota-service");
    const organization = await findOrganization(slug);
    if (!organization) throw new CommandError(`There is no organization "${slug}". Its slug is its address.`);
    if (bytes !== undefined) await setQuota(organization.uid, bytes, commandLine);
    const { total_bytes: used, files, quota_bytes: limit } = await getQuota(organization.uid);
    const allowed = limit === null ? "no quota" : `a quota of ${group(limit)} bytes`;
    console.log(`${organization.slug} uses ${group(used)} bytes in ${group(files)} files and has ${allowed}.`);
    if (limit !== null && used > limit)
      console.error("It uses more than that: uploads are refused, nothing is deleted.");
  });
}

const pageSize = 200;

async function list({ json }: { json?: boolean }): Promise<void> {
  await withDatabase(async () => {
    const { listOrganizations } = await import("@/server/features/organizations/installation-service");
    const organizations: ListedOrganization[] = [];
    for (let after: string | undefined = ""; after !== undefined;) {
      const page: ListedOrganization[] = await listOrganizations(after, pageSize);
      organizations.push(...page);
      after = page.length === pageSize ? page.at(-1)?.uid : undefined;
    }
    if (json) return console.log(JSON.stringify(organizations, null, 2));
    printTable(
      ["SLUG", "MEMBERS", "DEVICES", "RECORDINGS", "STORAGE BYTES", "CREATED", "NAME"],
      organizations.map(({ slug, members, devices, recordings, storage_bytes: bytes, created_at: created, name }) => [
        slug,
        String(members),
        String(devices),
        String(recordings),
        String(bytes),
        created.slice(0, 10),
        toCell(name),
      ]),
    );
  });
}

export const organizationsCommand = (): Command =>
  new Command("organizations")
    .description("Manage the organizations of this installation.")
    .addCommand(
      new Command("list")
        .description(
          "List the organizations with the number of their members, devices and recordings, and their bytes.",
        )
        .option("--json", "print JSON")
        .action(list),
    )
    .addCommand(
      new Command("quota")
        .description("Limit what an organization stores, or print what it uses. Its own buckets do not count.")
        .argument("<slug>", "the organization's address")
        .argument("[bytes]", "such as 5000000000 or 5GB; none for no quota")
        .action(quota),
    );
