import { encode } from "next-auth/jwt";
import type { CredentialsConfig } from "next-auth/providers/credentials";
import { computeCode, getStep } from "@/server/platform/auth/totp";
import { pool } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { compose } from "@/server/testing/composition";
import { testPassword, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

/** The authenticator app of a person in a test. */
export interface TestApp {
  secret: string;
  recoveryCodes: string[];
  /** A code that is accepted: the database is made to have accepted none so far. */
  code: () => Promise<string>;
}

/** The code of a secret now, or some steps later. */
export const getCode = (secret: string, later = 0): string =>
  computeCode(secret, getStep(Math.floor(Date.now() / 1_000)) + later);

/** Makes the database forget which codes it accepted, as if time had passed. */
export const forgetSteps = (userId: string): Promise<unknown> =>
  pool.query("update second_factors set last_step = 0 where user_id = $1", [userId]);

/** Sets up a second factor as the profile does. */
export async function setUpSecondFactor(
  organization: TestOrganization,
  member: TestMember,
  sessionUid?: string,
): Promise<TestApp> {
  const trpc = createTrpcCaller(organization, member, sessionUid === undefined ? {} : { sessionUid });
  const { secret } = await trpc.secondFactor.start({ password: testPassword });
  const { recovery_codes: recoveryCodes } = await trpc.secondFactor.enable({ code: getCode(secret) });
  const code = async () => {
    await forgetSteps(member.uid);
    return getCode(secret);
  };
  return { secret, recoveryCodes, code };
}

/** What next-auth gets from a step of signing in: the user for the token, or null. */
export interface StepResult {
  id: string;
  sid?: string;
  awaiting?: { version: number; until: number };
}

/** Runs a step of signing in as next-auth does, with the headers of a request. */
export async function authorizeStep(
  id: "credentials" | "second-factor",
  given: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<StepResult | null> {
  const { getAuthOptions } = await compose("sign-in");
  const found = getAuthOptions().providers.find((each) => (each.options.id ?? each.id) === id);
  if (!found) throw new Error(`there is no step ${id}`);
  const { authorize } = found.options as Pick<CredentialsConfig, "authorize">;
  return (await authorize(given, { headers })) as StepResult | null;
}

/** The Cookie header of a browser in which a sign-in awaits its second factor. */
export async function awaitingCookie({ id, awaiting }: StepResult): Promise<string> {
  const token = await encode({ token: { sub: id, ...(awaiting && { awaiting }) }, secret: env.AUTH_SECRET ?? "" });
  return `next-auth.session-token=${token}`;
}
