import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scopes } from "@/domain/permissions";
import { version } from "@/package.json";
import { readMigrations } from "@/server/platform/database/migration-files";
import { prisma } from "@/server/platform/db";
import { bundledCommandLine, type CommandLine, type Ended } from "@/server/testing/command-line";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let commandLine: CommandLine;
/** Runs the command line as a separate process on this worker's database. */
const muster = (args: string[], env = {}): Promise<Ended> => commandLine.start(args, { env }).ended;

let own: TestOrganization;
let member: TestMember;
beforeAll(async () => {
  commandLine = await bundledCommandLine();
  own = await makeOrganization();
  member = await addMember(own, "member");
});

afterAll(() => commandLine.close());

describe("the command line", () => {
  test("creates a key that works, and writes nothing else to standard output", async () => {
    const made = await muster([
      "keys",
      "create",
      "--user",
      member.email,
      "--scopes",
      "fleet.read",
      "--expires",
      "30",
      "--name",
      "CI",
    ]);
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^svk_[0-9A-Za-z]{49}\n$/) });
    const key = made.out.trim();
    expect((await request("GET", "/fleet/devices/", { key })).status).toBe(200);
    expect((await request("GET", "/organizations/", { key })).status).toBe(403);
    const stored = await prisma.apiKey.findFirstOrThrow({ where: { userId: member.uid, name: "CI" } });
    expect(stored.expiresAt).not.toBeNull();
    const entry = await prisma.auditEntry.findFirstOrThrow({ where: { targetId: stored.uid } });
    expect(entry).toMatchObject({ action: "api_key.created", actorType: "system", actorName: "command line" });

    const list = await muster(["keys", "list", "--user", member.username]);
    expect(list.out).toContain(`${own.slug}  ${stored.uid}  ${key.slice(0, 8)}…${key.slice(-4)}  active`);
    expect(list.out).not.toContain(key);

    const revoked = await muster(["keys", "revoke", stored.uid]);
    expect([revoked.code, revoked.out]).toEqual([0, ""]);
    expect((await request("GET", "/fleet/devices/", { key })).status).toBe(401);
  });

  test("revokes every key of a user and no other", async () => {
    const place = await makeOrganization();
    const person = await addMember(place, "admin");
    const ended = await muster(["keys", "revoke", "--user", person.username, "--all"]);
    expect(ended).toMatchObject({ code: 0, err: `Revoked 1 key of ${person.username}.\n` });
    expect((await request("GET", "/organizations/", { key: person.key })).status).toBe(401);
    expect((await request("GET", "/organizations/", { key: place.key })).status).toBe(200);
  });

  test("makes a user staff and revokes it", async () => {
    const staff = async () => (await prisma.user.findUniqueOrThrow({ where: { uid: member.uid } })).isStaff;
    expect(await muster(["users", "make-staff", member.username])).toMatchObject({ code: 0 });
    expect(await staff()).toBe(true);
    expect(await muster(["users", "make-staff", member.username, "--revoke"])).toMatchObject({ code: 0 });
    expect(await staff()).toBe(false);
    const entries = await prisma.auditEntry.findMany({ where: { targetId: member.uid }, orderBy: { uid: "asc" } });
    expect(entries.map(({ action }) => action)).toEqual(["user.made_staff", "user.staff_ended"]);
  });

  test("fails with one line that names the error", async () => {
    const both = await makeOrganization();
    await addMember(both, "member", { user: own.owner });
    const cases: [string[], string, Record<string, string>?][] = [
      [["keys", "create"], "required option '--user <user>' not specified"],
      [["keys", "create", "--user", "nobody"], 'There is no user "nobody".'],
      [["keys", "create", "--user", own.owner.username], `Name one with --organization.`],
      [
        ["keys", "create", "--user", member.username, "--scopes", "fleet.fly"],
        `--scopes: 0: "fleet.fly" is not a valid choice. Choices: ${scopes.join(", ")}.`,
      ],
      [
        ["keys", "create", "--user", member.username, "--expires", "2020-01-01"],
        "--expires: Ensure this time is in the future.",
      ],
      [["keys", "revoke"], "Give a key's uid"],
      [["users", "make-staff"], "missing required argument 'user'"],
      [["users", "make-staff", "x"], "The database cannot be used:", { DATABASE_URL: "postgresql://a@127.0.0.1:1/x" }],
      [["users", "make-staff", "x"], "There is no database in", { DATABASE_URL: "", DATA_DIR: "/nonexistent/muster" }],
    ];
    const responses = await Promise.all(cases.map(([args, , environment]) => muster(args, environment)));
    for (const [i, [args, text]] of cases.entries()) {
      const refused = responses[i]!;
      expect([args, refused.code, refused.out, refused.err]).toEqual([args, 1, "", expect.stringContaining(text)]);
      expect(refused.err).not.toMatch(/\n\s+at /);
    }
  });

  test("prints help for every command", async () => {
    const commands = [
      ["keys", "create", "--help"],
      ["keys", "revoke", "--help"],
      ["users", "make-staff", "--help"],
    ];
    for (const [i, help] of (await Promise.all(commands.map((args) => muster(args)))).entries()) {
      const args = commands[i];
      expect([args, help.code, help.err]).toEqual([args, 0, ""]);
      expect(help.out).toMatch(/^Usage: muster /);
    }
  });

  test("prints the version of the installation, its commit and its last migration", async () => {
    const { code, out, err } = await muster(["--version"]);
    expect([code, err]).toEqual([0, ""]);
    const [first, commit, migration] = out.split("\n");
    expect([first, migration]).toEqual([`muster ${version}`, `last migration ${readMigrations().at(-1)?.name}`]);
    expect(commit).toMatch(/^commit ([0-9a-f]{12}(-dirty)?|unknown)$/);
  });
});
