import { beforeEach, describe, expect, test } from "vitest";
import { pool, prisma } from "@/server/platform/db";
import { flushAccesses } from "@/server/platform/observability/access-log";
import {
  addMember,
  makeOrganization,
  makeSession,
  sessionCookie,
  testPassword,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";
import {
  authorizeStep,
  awaitingCookie,
  getCode,
  forgetSteps,
  setUpSecondFactor,
  type StepResult,
} from "@/server/testing/second-factor";
import { underSettings } from "@/server/testing/settings";
import { readSession } from "@/server/transport/session/session";

let own: TestOrganization;
let member: TestMember;
beforeEach(async () => {
  own = await makeOrganization();
  member = await addMember(own, "member");
});

const signIn = async (): Promise<StepResult> => {
  const result = await authorizeStep("credentials", { email: member.email, password: testPassword });
  if (!result) throw new Error("the password was refused");
  return result;
};
const actions = async () => {
  await flushAccesses();
  const entries = await prisma.auditEntry.findMany({ where: { targetId: member.uid }, orderBy: { uid: "asc" } });
  return entries.map(({ action }) => action);
};
const badRequest = (field: string) => ({
  code: "BAD_REQUEST",
  cause: { options: { issues: [{ path: [field] }] } },
});

describe("a second factor", () => {
  test("is on only after the password and a first code, and ends every other session", async () => {
    const [here, elsewhere] = [await makeSession(member), await makeSession(member)];
    const trpc = createTrpcCaller(own, member, { sessionUid: here });
    await expect(trpc.secondFactor.start({ password: "wrong" })).rejects.toMatchObject(badRequest("password"));
    await expect(trpc.secondFactor.start({})).rejects.toMatchObject(badRequest("password"));
    await expect(trpc.secondFactor.enable({ code: "123456" })).rejects.toMatchObject(badRequest("code"));
    const { secret, uri } = await trpc.secondFactor.start({ password: testPassword });
    expect(new URL(uri).searchParams.get("secret")).toBe(secret);
    expect((await signIn()).sid).toBeDefined();
    const wrong = getCode(secret) === "000000" ? "000001" : "000000";
    await expect(trpc.secondFactor.enable({ code: wrong })).rejects.toMatchObject(badRequest("code"));
    expect(await trpc.secondFactor.state()).toMatchObject({ enabled_at: null, recovery_codes_left: 0 });
    expect(await actions()).toContain("user.second_factor_failed");
    const { recovery_codes: codes } = await trpc.secondFactor.enable({
      code: ` ${getCode(secret).replace(/^.../, "$& ")} `,
    });
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);
    expect(await trpc.secondFactor.state()).toMatchObject({
      enabled_at: expect.any(String),
      recovery_codes_left: 10,
      needs_password: true,
      required_by: [],
    });
    expect(await readSession(await sessionCookie(member, { sessionUid: here }))).not.toBeNull();
    expect(await readSession(await sessionCookie(member, { sessionUid: elsewhere }))).toBeNull();
    await expect(trpc.secondFactor.start({ password: testPassword })).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await actions()).toContain("user.second_factor_enabled");
  });

  test("is stored sealed, and its recovery codes as hashes", async () => {
    const { secret, recoveryCodes } = await setUpSecondFactor(own, member);
    const rows = await pool.query(
      `select f::text as row from second_factors f where user_id = $1
       union all select r::text from recovery_codes r where user_id = $1`,
      [member.uid],
    );
    const stored = JSON.stringify(rows.rows);
    expect(rows.rows).toHaveLength(11);
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll("-", ""))]) {
      expect(stored).not.toContain(text);
    }
  });

  test("is asked for after the password, which alone starts no session", async () => {
    await setUpSecondFactor(own, member);
    const before = await prisma.session.count({ where: { userId: member.uid } });
    const step = await signIn();
    expect(step).toMatchObject({ id: member.uid, awaiting: { version: 2 } });
    expect(step.sid).toBeUndefined();
    expect(await prisma.session.count({ where: { userId: member.uid } })).toBe(before);
    const cookie = await awaitingCookie(step);
    expect(await readSession(cookie)).toBeNull();
    expect(await actions()).not.toContain("user.signed_in");
  });

  test("completes the sign-in by a code of the app, each of which is accepted once", async () => {
    const { code } = await setUpSecondFactor(own, member);
    const cookie = await awaitingCookie(await signIn());
    const given = await code();
    const attempts = await Promise.all(
      Array.from({ length: 4 }, () => authorizeStep("second-factor", { code: given }, { cookie })),
    );
    const started = attempts.filter((result) => result !== null);
    expect(started).toHaveLength(1);
    const session = await readSession(await sessionCookie(member, { sessionUid: started[0]?.sid ?? "" }));
    expect(session).toMatchObject({ userId: member.uid });
    expect(await authorizeStep("second-factor", { code: given }, { cookie })).toBeNull();
    expect(await actions()).toEqual(expect.arrayContaining(["user.signed_in", "user.second_factor_failed"]));
  });

  test("is not completed by an earlier code than the last accepted one", async () => {
    const { secret } = await setUpSecondFactor(own, member);
    await forgetSteps(member.uid);
    const cookie = await awaitingCookie(await signIn());
    const [earlier, later] = [getCode(secret, 0), getCode(secret, 1)];
    expect(await authorizeStep("second-factor", { code: later }, { cookie })).not.toBeNull();
    expect(await authorizeStep("second-factor", { code: earlier }, { cookie })).toBeNull();
  });

  test("is replaced by a recovery code, each of which works once", async () => {
    const { recoveryCodes } = await setUpSecondFactor(own, member);
    const [first = ""] = recoveryCodes;
    const cookie = await awaitingCookie(await signIn());
    const typed = first.toUpperCase().replaceAll("-", " ");
    expect(await authorizeStep("second-factor", { code: typed }, { cookie })).toMatchObject({ id: member.uid });
    expect(await authorizeStep("second-factor", { code: first }, { cookie })).toBeNull();
    expect(await createTrpcCaller(own, member).secondFactor.state()).toMatchObject({ recovery_codes_left: 9 });
    expect(await actions()).toContain("user.recovery_code_used");
  });

  test("is one person's: neither the app nor the codes of another complete a sign-in", async () => {
    await setUpSecondFactor(own, member);
    const other = await addMember(own);
    const theirs = await setUpSecondFactor(own, other);
    const cookie = await awaitingCookie(await signIn());
    for (const code of [await theirs.code(), theirs.recoveryCodes[0] ?? "", "", "12345", "x".repeat(5_000), "1\0"]) {
      expect(await authorizeStep("second-factor", { code }, { cookie })).toBeNull();
    }
  });

  test("cannot be given without the password step, after ten minutes, or after sessions were ended", async () => {
    const app = await setUpSecondFactor(own, member);
    const tooLong = /took too long/;
    await expect(authorizeStep("second-factor", { code: await app.code() })).rejects.toThrow(tooLong);
    const session = await sessionCookie(member);
    await expect(authorizeStep("second-factor", { code: await app.code() }, { cookie: session })).rejects.toThrow(
      tooLong,
    );
    const step = await signIn();
    const late = {
      ...step,
      awaiting: { version: step.awaiting?.version ?? 0, until: Math.floor(Date.now() / 1_000) - 1 },
    };
    const cookie = await awaitingCookie(late);
    await expect(authorizeStep("second-factor", { code: await app.code() }, { cookie })).rejects.toThrow(tooLong);
    await createTrpcCaller(own, member).account.signOutEverywhere();
    const ended = { cookie: await awaitingCookie(step) };
    expect(await authorizeStep("second-factor", { code: await app.code() }, ended)).toBeNull();
  });

  test("is throttled like passwords", async () => {
    await setUpSecondFactor(own, member);
    const headers = { cookie: await awaitingCookie(await signIn()), "x-muster-client": "192.0.2.77" };
    const wrong = () => authorizeStep("second-factor", { code: "abcdef" }, headers);
    await underSettings({ RATE_LIMITS: { sign_in_pair: 3 } }, async () => {
      for (let n = 0; n < 3; n++) expect(await wrong()).toBeNull();
      await expect(wrong()).rejects.toThrow("Too many attempts");
      const credentials = { email: member.email, password: testPassword };
      await expect(authorizeStep("credentials", credentials, headers)).rejects.toThrow("Too many attempts");
    });
  });

  test("does not concern API keys", async () => {
    await setUpSecondFactor(own, member);
    expect((await request("GET", "/fleet/devices/", { key: member.key })).status).toBe(200);
  });

  test("is turned off, and its codes are renewed, by the password and a code only", async () => {
    const app = await setUpSecondFactor(own, member);
    const trpc = createTrpcCaller(own, member);
    for (const act of [trpc.secondFactor.disable, trpc.secondFactor.renewCodes]) {
      const code = await app.code();
      await expect(act({ password: "wrong", code })).rejects.toMatchObject(badRequest("password"));
      await expect(act({ code })).rejects.toMatchObject(badRequest("password"));
      await expect(act({ password: testPassword, code: "aaaaaa" })).rejects.toMatchObject(badRequest("code"));
    }
    const renewed = await trpc.secondFactor.renewCodes({ password: testPassword, code: await app.code() });
    expect(renewed.recovery_codes).toHaveLength(10);
    const [old = ""] = app.recoveryCodes;
    await expect(trpc.secondFactor.disable({ password: testPassword, code: old })).rejects.toMatchObject(
      badRequest("code"),
    );
    await trpc.secondFactor.disable({ password: testPassword, code: renewed.recovery_codes[0] ?? "" });
    expect(await trpc.secondFactor.state()).toMatchObject({ enabled_at: null, recovery_codes_left: 0 });
    expect((await signIn()).sid).toBeDefined();
    expect(await actions()).toEqual(
      expect.arrayContaining(["user.recovery_codes_renewed", "user.second_factor_disabled", "user.recovery_code_used"]),
    );
  });

  test("stays when the password is reset", async () => {
    await setUpSecondFactor(own, member);
    await createTrpcCaller(own, member).account.changePassword({
      current_password: testPassword,
      new_password: "another password for tests",
    });
    const step = await authorizeStep("credentials", { email: member.email, password: "another password for tests" });
    expect(step?.awaiting).toBeDefined();
  });
});
