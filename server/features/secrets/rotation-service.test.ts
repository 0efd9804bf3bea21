import { beforeAll, describe, expect, test } from "vitest";
import { rotateSecrets, sealedColumns } from "@/server/features/secrets/rotation-service";
import { acceptSecondFactor } from "@/server/platform/auth/second-factor";
import { isSignature, open, seal, sign } from "@/server/platform/crypto";
import { pool, prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { nullable, queryRows, text } from "@/server/platform/rows";
import {
  makeOrganization,
  makeSession,
  sessionCookie,
  unique,
  type TestOrganization,
} from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import { setUpSecondFactor } from "@/server/testing/second-factor";
import { underSettings } from "@/server/testing/settings";
import { readSession } from "@/server/transport/session/session";

const old = env.AUTH_SECRET ?? "";
const fresh = "another secret, which is the first from now on";
const both = { AUTH_SECRET: fresh, AUTH_SECRETS: [fresh, old] };
const onlyFresh = { AUTH_SECRET: fresh, AUTH_SECRETS: [fresh] };
const onlyOld = { AUTH_SECRET: old, AUTH_SECRETS: [old] };

describe("with several secrets", () => {
  test("the first seals and signs, and all open and verify", async () => {
    const [sealed, signature] = [seal("a secret", "row"), sign("links", "text")];
    await underSettings(both, async () => {
      expect(open(sealed, "row")).toBe("a secret");
      expect(() => open(sealed, "another row")).toThrow("cannot be opened");
      expect(isSignature("links", "text", signature)).toBe(true);
      expect(isSignature("links", "text.", signature)).toBe(false);
      expect(sign("links", "text")).not.toBe(signature);
    });
    const [resealed, signed] = await underSettings(both, async () => [seal("a secret", "row"), sign("links", "text")]);
    expect(() => open(resealed, "row")).toThrow("cannot be opened");
    expect(isSignature("links", "text", signed)).toBe(false);
    await underSettings(onlyFresh, async () => {
      expect(open(resealed, "row")).toBe("a secret");
      expect(() => open(sealed, "row")).toThrow("cannot be opened");
      expect(isSignature("links", "text", signature)).toBe(false);
    });
  });

  test("sessions and cursors of an earlier one stay valid until it is removed", async () => {
    const org = await makeOrganization();
    const cookie = await sessionCookie(org.owner, { sessionUid: await makeSession(org.owner) });
    for (const name of ["a", "b"]) {
      await request("POST", "/fleet/devices/", { key: org.key, body: { name: unique(name) } });
    }
    const { body } = await request("GET", "/fleet/devices/?limit=1", { key: org.key });
    const readOn = async () => (await request("GET", body.next ?? "", { key: org.key })).status;
    const both2 = await underSettings(both, async () => [(await readSession(cookie)) !== null, await readOn()]);
    const gone = await underSettings(onlyFresh, async () => [(await readSession(cookie)) !== null, await readOn()]);
    expect([both2, gone]).toEqual([
      [true, 200],
      [false, 400],
    ]);
  });
});

test("every column with sealed values is sealed again", async () => {
  const columns = await queryRows(
    pool,
    { place: text },
    `select table_name::text || '.' || column_name::text as place from information_schema.columns
     where table_schema = 'public' and column_name like '%sealed%'
       and table_name <> 'idempotency_keys' -- responses of the last day, which every listed secret opens
     order by 1`,
  );
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    columns.map((each) => each.place),
  );
});

describe("rotating secrets", () => {
  let org: TestOrganization;
  const links = async () => {
    const path = `/organizations/${org.slug}/invitations/`;
    const { body } = await request<{ results: { copy_link: string }[] }>("GET", path, { key: org.key });
    return body.results.map(({ copy_link: link }) => link);
  };
  const sealedValues = async () => {
    const statement = `select token_sealed as sealed from invitations where organization_id = $1
      union all select secrets_sealed from channels where organization_id = $1 and secrets_sealed is not null order by 1`;
    return (await queryRows(pool, { sealed: nullable(text) }, statement, [org.uid])).map(({ sealed }) => sealed);
  };
  beforeAll(async () => {
    org = await makeOrganization();
    const invitation = { email: `${unique("a")}@example.com`, role: "member" };
    await request("POST", `/organizations/${org.slug}/invitations/`, { key: org.key, body: invitation });
    const config = { routing_key: "0123456789abcdef0123456789abcdef" };
    const channel = { name: unique("channel"), type: "pagerduty", config };
    expect((await request("POST", "/fleet/alerts/channels/", { key: org.key, body: channel })).status).toBe(201);
  });

  test("seals everything with the first one, once, after which the others can be removed", async () => {
    const [before, values] = [await links(), await sealedValues()];
    expect(values).toHaveLength(2);
    const first = await underSettings(both, () => rotateSecrets());
    expect(first.resealed).toBeGreaterThanOrEqual(2);
    const after = await sealedValues();
    expect(after.filter((value) => values.includes(value))).toEqual([]);
    expect(await underSettings(onlyFresh, () => links())).toEqual(before);
    const again = await underSettings(both, () => rotateSecrets());
    expect(again).toMatchObject({ resealed: 0, current: first.resealed + first.current });
    expect(await sealedValues()).toEqual(after);
    // Back to the secret of the other tests.
    await underSettings({ AUTH_SECRET: old, AUTH_SECRETS: [old, fresh] }, () => rotateSecrets());
    expect(await links()).toEqual(before);
  });

  test("seals the key of an authenticator app again, which goes on working", async () => {
    const app = await setUpSecondFactor(org, org.owner);
    await underSettings(both, () => rotateSecrets());
    const accept = async () => acceptSecondFactor({ db: prisma }, org.owner.uid, await app.code());
    expect(await underSettings(onlyFresh, accept)).toBe("app");
    await underSettings({ AUTH_SECRET: old, AUTH_SECRETS: [old, fresh] }, () => rotateSecrets());
    expect(await accept()).toBe("app");
  });

  test("names what no secret opens and leaves it as it is", async () => {
    const [row] = (await pool.query("select uid, token_sealed from invitations where organization_id = $1", [org.uid]))
      .rows as { uid: string; token_sealed: string }[];
    const foreign = await underSettings(onlyFresh, async () => seal("x", "another row"));
    await pool.query("update invitations set token_sealed = $2 where uid = $1", [row?.uid, foreign]);
    const { unreadable } = await underSettings(onlyOld, () => rotateSecrets());
    expect(unreadable).toContain(`invitations.token_sealed ${row?.uid}`);
    await pool.query("update invitations set token_sealed = $2 where uid = $1", [row?.uid, row?.token_sealed]);
  });
});
