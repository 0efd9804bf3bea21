import type { CredentialsConfig } from "next-auth/providers/credentials";
import { describe, expect, test } from "vitest";
import { compose } from "@/server/testing/composition";
import { makeOrganization, testPassword, unique } from "@/server/testing/factories";
import { underSettings } from "@/server/testing/settings";
import { clientAddress } from "@/server/transport/rest/authenticate";

const { getAuthOptions } = await compose("sign-in");

/** How many of 150 guesses are compared with a password, under the default limits. The others cost no hash. */

const guesses = 150;

async function signIn(email: string, password: string, address: string): Promise<"right" | "wrong" | "throttled"> {
  const [provider] = getAuthOptions().providers;
  if (provider?.type !== "credentials") throw new Error("sign-in has no form");
  const { authorize } = provider.options as Pick<CredentialsConfig, "authorize">;
  try {
    return (await authorize({ email, password }, { headers: { "x-muster-client": address } })) ? "right" : "wrong";
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("Too many attempts.")) return "throttled";
    throw error;
  }
}

/** The address that the limits see of a request with these headers from one socket. */
const addressBehind = (forwarded: string): string =>
  clientAddress(new Headers({ "x-forwarded-for": forwarded }), "198.51.100.1") ?? "";

const attacks: {
  name: string;
  compared: number;
  hops?: number;
  guess: (n: number, own: string) => [string, string];
}[] = [
  { name: "one address, an account each", compared: 30, guess: (n, own) => [`${own}${n}@example.com`, own] },
  { name: "one account, an address each", compared: 20, guess: (n, own) => [`${own}@example.com`, `${own} ${n}`] },
  { name: "one account from one address", compared: 5, guess: (_n, own) => [`${own}@example.com`, own] },
  {
    name: "one account in other spellings",
    compared: 5,
    guess: (n, own) => [`${" ".repeat(n % 3)}${n % 2 ? own.toUpperCase() : own}@Example.com`, own],
  },
  {
    name: "one account from one address that names another in X-Forwarded-For",
    compared: 5,
    guess: (n, own) => [`${own}@example.com`, `${own} ${addressBehind(`203.0.113.${n}`)}`],
  },
  {
    name: "the same behind a trusted proxy, which adds the address of its client",
    compared: 5,
    hops: 1,
    guess: (n, own) => [`${own}@example.com`, `${own} ${addressBehind(`203.0.113.${n}, 192.0.2.1`)}`],
  },
];

describe("guessing passwords", () => {
  test.each(attacks)("by $name is stopped after $compared attempts", async ({ compared, hops = 0, guess }) => {
    const own = unique("spray");
    await underSettings({ RATE_LIMITS: {}, TRUSTED_PROXY_HOPS: hops }, async () => {
      const results = [];
      for (let n = 0; n < guesses; n++) {
        const [email, address] = guess(n, own);
        results.push(await signIn(email, "Winter2026!", address));
      }
      expect(results.filter((result) => result === "wrong")).toHaveLength(compared);
      expect(results.slice(compared)).toEqual(Array.from({ length: guesses - compared }, () => "throttled"));
    });
  });

  test("does not succeed with the right password once it is throttled, nor lock the person out elsewhere", async () => {
    const { email } = (await makeOrganization()).owner;
    const attacker = unique("attacker");
    await underSettings({ RATE_LIMITS: {} }, async () => {
      for (let n = 0; n < 5; n++) expect(await signIn(email, `wrong ${n}`, attacker)).toBe("wrong");
      expect(await signIn(email, testPassword, attacker)).toBe("throttled");
      expect(await signIn(email, testPassword, unique("home"))).toBe("right");
    });
  });
});
