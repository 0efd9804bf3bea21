import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { scopes, type Scope } from "@/domain/permissions";
import { registry } from "@/server/composition/rest-registry";
import { appRouter } from "@/server/composition/trpc-root";
import { newToken, sha256 } from "@/server/platform/crypto";
import { pool, prisma } from "@/server/platform/db";
import { errorTable } from "@/server/platform/errors";
import { jsonb, queryRows } from "@/server/platform/rows";
import { buildPath, findSubject, listParameters, seedFixture, type Fixture } from "@/server/testing/bad-input/fixture";
import {
  addMember,
  makeDevice,
  makeKey,
  makeOrganization,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { operations, procedures } from "@/server/testing/operations";
import { createTrpcCaller, request, trpcSignedOut } from "@/server/testing/requests";
import {
  callers,
  getExpected,
  operationTable,
  procedureTable,
  type Caller,
  type Line,
  type Whose,
} from "@/server/testing/roles/role-table";
import { rolesDocument } from "@/server/testing/roles/roles-document";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/**
 * Every operation and every procedure, called by every kind of caller on its own, another's and another organization's
 * object. The expected statuses are in a table that does not come from the declarations.
 */

/** A caller in an organization of its own, because those who may delete objects do. */
interface Party {
  org: TestOrganization;
  ids: Fixture["ids"];
  person: TestMember;
  /** The credential for an operation; `another` is that of a device other than the one the objects belong to. */
  credential: (line: Line, another: boolean) => Promise<{ key?: string; token?: string }>;
}

let parties: Record<Caller, Party>;
let foreign: Fixture["ids"];

async function makeHome(): Promise<{ org: TestOrganization; ids: Fixture["ids"] }> {
  const org = await makeOrganization();
  return { org, ids: await seedFixture(org) };
}

/** A key with these scopes, made once. */
function makeKeyring(org: TestOrganization, person: TestMember): (wanted: readonly Scope[]) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  return (wanted) => {
    const name = wanted.join(" ");
    const key = made.get(name) ?? makeKey(org, person, { scopes: wanted });
    made.set(name, key);
    return key;
  };
}

beforeAll(async () => {
  const homes = await Promise.all(Array.from({ length: 8 }, makeHome));
  const [own, admins, members, closed, closedToViewers, scoped, shared, other] = homes;
  if (!own || !admins || !members || !closed || !closedToViewers || !scoped || !shared || !other)
    throw new Error("an organization is missing");
  foreign = other.ids;
  const withKey = (home: typeof own, person: TestMember): Party => ({
    ...home,
    person,
    credential: async () => ({ key: person.key }),
  });
  const [admin, member, scopedAdmin, sharedAdmin, viewer, agent] = await Promise.all([
    addMember(admins.org, "admin"),
    addMember(members.org),
    addMember(scoped.org, "admin"),
    addMember(shared.org, "admin"),
    addMember(shared.org, "member", { readOnly: true }),
    addMember(shared.org, "member", { scopes: ["agents.read", "agents.write"] }),
  ]);
  const assigned = { data: { access: "assigned" } };
  for (const { ids } of [closed, closedToViewers]) {
    await prisma.dataset.update({ where: { uid: ids.dataset }, ...assigned });
    await prisma.project.update({ where: { uid: ids.project }, ...assigned });
    await prisma.export.update({ where: { uid: ids.export }, data: { datasets: [ids.dataset] } });
  }
  const token = newToken("svd_");
  await prisma.device.update({ where: { uid: shared.ids.device }, data: { tokenHash: sha256(token) } });
  const otherDevice = await makeDevice(shared.org);
  const [justThese, allOthers] = [makeKeyring(scoped.org, scopedAdmin), makeKeyring(shared.org, sharedAdmin)];
  parties = {
    owner: withKey(own, own.org.owner),
    admin: withKey(admins, admin),
    member: withKey(members, member),
    "read-only member": withKey(shared, viewer),
    "member not assigned": withKey(closed, await addMember(closed.org)),
    "read-only member not assigned": withKey(
      closedToViewers,
      await addMember(closedToViewers.org, "member", { readOnly: true }),
    ),
    "scoped key": {
      ...withKey(scoped, scopedAdmin),
      // An operation without scopes gets a key with all of them, which is not enough.
      credential: async (line) => ({
        key: await justThese(line.scopes.length > 0 ? [...line.scopes.slice(0, 1), ...line.scopesToo] : scopes),
      }),
    },
    "key of other scopes": {
      ...withKey(shared, sharedAdmin),
      credential: async (line) => ({ key: await allOthers(scopes.filter((scope) => !line.scopes.includes(scope))) }),
    },
    device: {
      ...withKey(shared, sharedAdmin),
      credential: async (_, another) => ({ token: another ? otherDevice.device_token : token }),
    },
    agent: withKey(shared, agent),
    anonymous: { ...withKey(shared, viewer), credential: async () => ({}) },
  };
});

const setDefinitionAuthor = (ids: Fixture["ids"], userId: string) =>
  prisma.messageDefinition.update({ where: { uid: ids.messageDefinition }, data: { createdById: userId } });

const setDescriptionAuthor = (ids: Fixture["ids"], userId: string) =>
  prisma.robotDescription.update({ where: { uid: ids.robotDescription }, data: { createdById: userId } });

const setAssignee = (ids: Fixture["ids"], userId: string) =>
  prisma.task.update({ where: { uid: ids.task }, data: { assigneeId: userId } });

/** Where it is stored who made an object, by the first part of an operation's name. */
const authors: Readonly<Record<string, (ids: Fixture["ids"], userId: string) => Promise<unknown>>> = {
  rules: (ids, userId) => prisma.rule.update({ where: { uid: ids.rule }, data: { createdById: userId } }),
  silences: (ids, userId) => prisma.silence.update({ where: { uid: ids.silence }, data: { createdById: userId } }),
  events: (ids, userId) =>
    prisma.event.update({ where: { uid: ids.event }, data: { createdById: userId, source: "user" } }),
  "message-definitions": setDefinitionAuthor,
  messageDefinitions: setDefinitionAuthor,
  "robot-descriptions": setDescriptionAuthor,
  robotDescriptions: setDescriptionAuthor,
  shares: (ids, userId) => prisma.recordingShare.update({ where: { uid: ids.share }, data: { createdById: userId } }),
  exports: (ids, userId) => prisma.export.update({ where: { uid: ids.export }, data: { createdById: userId } }),
  slices: (ids, userId) => prisma.slice.update({ where: { uid: ids.slice }, data: { createdById: userId } }),
  runs: (ids, userId) => prisma.run.update({ where: { uid: ids.run }, data: { createdById: userId } }),
  // Outside of its sequence, which would be deleted with its only item.
  items: (ids, userId) =>
    prisma.item.update({ where: { uid: ids.item }, data: { addedById: userId, sequenceId: null } }),
  moments: (ids, userId) => prisma.moment.update({ where: { uid: ids.moment }, data: { createdById: userId } }),
  // Who decides results is no matter of who made them.
  reviews: (ids, userId) =>
    prisma.projectPerson.updateMany({ where: { projectId: ids.project, role: "reviewer" }, data: { userId } }),
  tasks: setAssignee,
  issues: setAssignee,
};
const setAuthor = ({ ids, person }: Party, name: string, whose: Whose): Promise<unknown> => {
  const area =
    name === "results.submit" ? "tasks" : name.startsWith("results.") ? "reviews" : (name.split(".")[0] ?? "");
  return authors[area]!(ids, whose === "own" ? person.uid : ids.user);
};

/** The table of what a member deletes as its author. */
const tables: Readonly<Record<string, string>> = {
  rules: "rules",
  silences: "silences",
  "message-definitions": "message_definitions",
  messageDefinitions: "message_definitions",
  "robot-descriptions": "robot_descriptions",
  robotDescriptions: "robot_descriptions",
  events: "events",
  exports: "exports",
  slices: "slices",
  runs: "model_runs",
  items: "items",
};

/** Runs `act` and puts the object back that it may have deleted, without what hangs on it. */
async function restoring<T>(name: string, uid: string, act: () => Promise<T>): Promise<T> {
  const table = tables[name.split(".")[0] ?? ""];
  if (!name.endsWith(".delete") || table === undefined) return act();
  const row = { row: jsonb(z.record(z.string(), z.unknown())) };
  const [before] = await queryRows(pool, row, `select to_jsonb(t) as row from ${table} t where uid = $1`, [uid]);
  const result = await act();
  await pool.query(
    `insert into ${table} select * from jsonb_populate_record(null::${table}, $1) on conflict do nothing`,
    [JSON.stringify(before?.row)],
  );
  return result;
}

const isObject = (endpoint: Endpoint): boolean =>
  listParameters(endpoint).some((name) => !["token", "version"].includes(name) && findSubject(endpoint, name) !== null);

function listWhose(endpoint: Endpoint, line: Line, caller: Caller): Whose[] {
  if (!isObject(endpoint)) return ["none"];
  if (line.least === "author") return ["foreign", "own", "another's"];
  return caller === "device" && line.device ? ["foreign", "own", "another's"] : ["foreign", "another's"];
}

const toOutcome = (status: number) => (status < 500 && ![401, 403, 404].includes(status) ? "allowed" : status);

/** Bodies that are refused for their fields, where an empty list is not; a member has to name the dataset. */
const refusedBodies: Readonly<Record<string, unknown>> = {
  "models.predict": {},
  "recordings.to-dataset": { dataset: 3 },
};

/** Calls an operation with bodies that are refused only after every check of permissions. */
async function callOperation(endpoint: Endpoint, line: Line, caller: Caller, whose: Whose): Promise<unknown[]> {
  const party = parties[caller];
  if (line.least === "author" && whose !== "foreign") await setAuthor(party, line.name, whose);
  // An operation of a device without an object is its own; one of another device's object is refused.
  const credential = await party.credential(line, caller === "device" && whose === "another's");
  const refused = refusedBodies[endpoint.id] ?? [];
  const bodies = endpoint.body ? [refused, ...(line.least === "author" ? [{}] : [])] : [undefined];
  const ids = whose === "foreign" ? foreign : party.ids;
  const outcomes: unknown[] = [];
  for (const body of bodies) {
    const { status } = await restoring(line.name, party.ids[findSubject(endpoint, "uid") ?? "device"], () =>
      request(endpoint.method, buildPath(endpoint, ids), { ...credential, ...(body !== undefined && { body }) }),
    );
    outcomes.push(toOutcome(status));
  }
  return outcomes;
}

/** Deleting comes last, the youngest objects first; leaving the organization after everything. */
const order = ({ method, id }: Endpoint): number => (id === "members.leave" ? 2 : method === "DELETE" ? 1 : 0);
const ordered = operations
  .map((endpoint, at) => ({ endpoint, at: endpoint.method === "DELETE" ? -at : at }))
  .sort((a, b) => order(a.endpoint) - order(b.endpoint) || a.at - b.at)
  .map(({ endpoint }) => endpoint);

describe("every operation is allowed exactly to those that the table names:", () => {
  test("the table lists every operation", () => {
    expect([...operationTable.keys()].sort()).toEqual(registry.map(({ id }) => id).sort());
  });

  test.each(ordered.map((endpoint) => [endpoint.id, endpoint] as const))("%s", async (id, endpoint) => {
    const line = operationTable.get(id)!;
    const wrong: string[] = [];
    await Promise.all(
      callers.map(async (caller) => {
        for (const whose of listWhose(endpoint, line, caller)) {
          const expected = getExpected(line, caller, whose);
          for (const outcome of await callOperation(endpoint, line, caller, whose))
            if (outcome !== expected) wrong.push(`${caller}, ${whose}: ${String(outcome)} instead of ${expected}`);
        }
      }),
    );
    expect(wrong).toEqual([]);
  });
});

const sessions = ["owner", "admin", "member", "read-only member", "anonymous"] as const satisfies readonly Caller[];

/** Calls a procedure and returns the status that REST would have. */
async function callProcedure(caller: Caller, name: string, input: unknown): Promise<unknown> {
  const { org, person } = parties[caller];
  const api: unknown = caller === "anonymous" ? trpcSignedOut() : createTrpcCaller(org, person);
  const call = name.split(".").reduce((at, part) => (at as Record<string, unknown>)[part], api);
  try {
    await (call as (input: unknown) => Promise<unknown>)(input);
    return "allowed";
  } catch (error) {
    const { code } = error as { code?: string };
    return toOutcome(Object.values(errorTable).find(({ trpc }) => trpc === code)?.status ?? 500);
  }
}

/** An input of the procedures that depend on the author of an object. */
const inputFor = (uid: string) => ({ uid, change: {}, over: {}, version: 1 });
const subjects: Readonly<
  Record<string, "rule" | "silence" | "event" | "messageDefinition" | "robotDescription" | "share" | "slice" | "moment">
> = {
  rules: "rule",
  silences: "silence",
  events: "event",
  messageDefinitions: "messageDefinition",
  robotDescriptions: "robotDescription",
  shares: "share",
  slices: "slice",
  moments: "moment",
};

describe("every procedure of the dashboard is allowed exactly to those that the table names:", () => {
  // The REST operations may have deleted objects, and the member has left.
  beforeAll(async () => {
    for (const caller of ["owner", "admin", "member"] as const) {
      const home = await makeHome();
      const person = caller === "owner" ? home.org.owner : await addMember(home.org, caller);
      parties[caller] = { ...parties[caller], ...home, person };
    }
  });

  test("the table lists every procedure", () => {
    expect([...procedureTable.keys()].sort()).toEqual(Object.keys(appRouter._def.procedures).sort());
  });

  const last = (name: string) => (name === "organizations.leave" ? 2 : name.endsWith(".delete") ? 1 : 0);
  const lines = [...procedureTable.values()]
    .filter((line) => procedures.includes(line.name))
    .sort((a, b) => last(a.name) - last(b.name));
  test.each(lines.map((line) => [line.name, line] as const))("%s", async (name, line) => {
    const wrong: string[] = [];
    for (const caller of sessions) {
      const check = (outcome: unknown, whose: Whose) => {
        const expected = getExpected(line, caller, whose);
        if (outcome !== expected) wrong.push(`${caller}, ${whose}: ${String(outcome)} instead of ${expected}`);
      };
      // Input that no schema accepts is refused only after the check of the role.
      check(await callProcedure(caller, name, 3), "none");
      const subject = subjects[name.split(".")[0] ?? ""];
      if (line.least !== "author" || subject === undefined) continue;
      for (const whose of ["own", "another's", "foreign"] as const) {
        const party = parties[caller];
        if (whose !== "foreign") await setAuthor(party, name, whose);
        const input = inputFor((whose === "foreign" ? foreign : party.ids)[subject]);
        check(await restoring(name, party.ids[subject], () => callProcedure(caller, name, input)), whose);
      }
    }
    expect(wrong).toEqual([]);
  });
});

test("docs/roles.md is this table", async () => {
  await expect(rolesDocument()).toMatchFileSnapshot(path.join(import.meta.dirname, "../../docs/roles.md"));
});
