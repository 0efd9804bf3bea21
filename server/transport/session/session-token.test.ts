import { encode } from "next-auth/jwt";
import { afterEach, expect, test, vi } from "vitest";
import { env } from "@/server/platform/env";
import { unique } from "@/server/testing/factories";
import { underSettings } from "@/server/testing/settings";
import { decodeToken } from "@/server/transport/session/session-token";

const makeToken = (sub: string, secret = env.AUTH_SECRETS[0] ?? "") => encode({ token: { sub }, secret, maxAge: 60 });

afterEach(() => void vi.useRealTimers());

test("a token is read again as it was, whatever became of the claims that were read", async () => {
  const [sub, other] = [unique(), unique()];
  const token = await makeToken(sub);
  const claims = await decodeToken(token);
  expect(claims).toMatchObject({ sub });
  if (claims) claims.sub = other;
  expect(await decodeToken(token)).toMatchObject({ sub });
  expect(await decodeToken(await makeToken(other))).toMatchObject({ sub: other });
});

test("a token that was read is refused once it has expired", async () => {
  const token = await makeToken(unique());
  expect(await decodeToken(token)).not.toBeNull();
  vi.useFakeTimers({ now: Date.now() + 10 * 60_000, toFake: ["Date"] });
  expect(await decodeToken(token)).toBeNull();
});

test("a token that was read is refused once its secret is no longer one", async () => {
  const token = await makeToken(unique());
  expect(await decodeToken(token)).not.toBeNull();
  await underSettings({ AUTH_SECRETS: [unique("another secret")] }, async () => {
    expect(await decodeToken(token)).toBeNull();
  });
  expect(await decodeToken(token)).not.toBeNull();
});

test("what is no token is null, however often it is read", async () => {
  for (let time = 0; time < 2; time++) expect(await decodeToken("no token")).toBeNull();
  expect(await decodeToken(undefined)).toBeNull();
});
