import { describe, expect, it } from "vitest";
import { EnvError, parseEnv } from "@/server/platform/env";

const listIssues = (source: Record<string, string>) => {
  try {
    parseEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error.faults.map((fault) => fault.split(":")[0]);
    throw error;
  }
  return [];
};

describe("settings", () => {
  it("all have a default", () => {
    expect(parseEnv({})).toMatchObject({ PORT: 3000, HOST: "127.0.0.1", PUBLIC_URL: "http://127.0.0.1:3000" });
  });

  it("count as absent when empty", () => {
    expect(parseEnv({ PORT: "", DATABASE_URL: "" })).toMatchObject({ PORT: 3000 });
  });

  it("are refused with a list of all faults", () => {
    const source = { PORT: "70000", DATABASE_URL: "mysql://x", SMTP_URL: "mail", AUTH_SECRET: "short" };
    expect(listIssues(source)).toEqual(["PORT", "DATABASE_URL", "AUTH_SECRET", "SMTP_URL"]);
  });

  it("refuse an unknown rate limit, so that a misspelled name is not ignored", () => {
    expect(listIssues({ RATE_LIMITS: '{"user_minut": 5}' })).toEqual(["RATE_LIMITS"]);
    expect(parseEnv({ RATE_LIMITS: '{"user_minute": 5}' }).RATE_LIMITS).toEqual({ user_minute: 5 });
    expect(parseEnv({ RATE_LIMITS: "off" }).RATE_LIMITS).toBe("off");
  });

  it.each([
    [undefined, { bytes: 2e9, fraction: 0.05 }],
    ["500000000", { bytes: 5e8 }],
    ["1.5gb", { bytes: 1.5e9 }],
    ["2 TB", { bytes: 2e12 }],
    ["0", { bytes: 0 }],
    ["7.5%", { fraction: 0.075 }],
  ])("DISK_RESERVE %j is %j", (DISK_RESERVE, reserve) => {
    expect(parseEnv({ DISK_RESERVE }).DISK_RESERVE).toEqual(reserve);
  });

  it.each(["much", "-1", "60%", "2GiB", "GB", "1e9"])("refuse DISK_RESERVE %j", (DISK_RESERVE) => {
    expect(listIssues({ DISK_RESERVE })).toEqual(["DISK_RESERVE"]);
  });

  it("refuse fewer connections than a worker needs for its queues and jobs", () => {
    expect(parseEnv({}).DATABASE_POOL).toBe(20);
    expect(parseEnv({ DATABASE_POOL: "12" }).DATABASE_POOL).toBe(12);
    for (const DATABASE_POOL of ["11", "0", "1001", "many"])
      expect(listIssues({ DATABASE_POOL })).toEqual(["DATABASE_POOL"]);
  });

  it("accept address ranges of IPv4 and IPv6", () => {
    const ranges = parseEnv({ EGRESS_ALLOW_CIDRS: "10.0.0.0/8, fd00::/8" }).EGRESS_ALLOW_CIDRS;
    expect(ranges).toEqual(["10.0.0.0/8", "fd00::/8"]);
    expect(listIssues({ EGRESS_ALLOW_CIDRS: "10.0.0.0" })).toEqual(["EGRESS_ALLOW_CIDRS"]);
  });

  it.each([
    [{}, "open"],
    [{ PUBLIC_URL: "http://localhost:3000" }, "open"],
    [{ PUBLIC_URL: "https://fleet.localhost" }, "open"],
    [{ PUBLIC_URL: "http://127.9.0.1" }, "open"],
    [{ PUBLIC_URL: "http://[::1]:3000" }, "open"],
    [{ PUBLIC_URL: "https://fleet.example.com" }, "invited"],
    [{ PUBLIC_URL: "https://127.0.0.1.example.com" }, "invited"],
    [{ PUBLIC_URL: "https://notlocalhost" }, "invited"],
    [{ PUBLIC_URL: "http://192.168.1.5:3000" }, "invited"],
    [{ PUBLIC_URL: "https://fleet.example.com", SIGNUP: "open" }, "open"],
    [{ SIGNUP: "closed" }, "closed"],
  ])("of %j open sign-up only where nobody else can reach it by default: %s", (source, mode) => {
    expect(parseEnv(source).SIGNUP).toBe(mode);
  });

  it("accept several headers for API keys, but none that means something else", () => {
    expect(parseEnv({}).API_KEY_HEADERS).toEqual(["x-service-api-key"]);
    expect(parseEnv({ API_KEY_HEADERS: "X-Service-Api-Key, X-Fleet-Key" }).API_KEY_HEADERS).toEqual([
      "x-service-api-key",
      "x-fleet-key",
    ]);
    for (const wrong of [",", "a b", "x:y", "Cookie", "Authorization", "x-forwarded-for", "content-type", "a\r\nb"]) {
      expect([wrong, listIssues({ API_KEY_HEADERS: wrong }).length > 0]).toEqual([wrong, true]);
    }
  });

  it("let pages of Foxglove read links, or of other origins", () => {
    expect(parseEnv({}).LINK_ORIGINS).toEqual(["https://app.foxglove.dev"]);
    expect(parseEnv({ LINK_ORIGINS: "https://a.example/, HTTP://b.example:8080" }).LINK_ORIGINS).toEqual([
      "https://a.example",
      "http://b.example:8080",
    ]);
    for (const wrong of [
      "*",
      "null",
      "a.example",
      "https://a.example/path",
      "https://a@b.example",
      "ftp://a.example",
    ]) {
      expect([wrong, listIssues({ LINK_ORIGINS: wrong })]).toEqual([wrong, ["LINK_ORIGINS"]]);
    }
  });

  it("accept other delays of retries, in seconds", () => {
    expect(parseEnv({}).RETRY_DELAYS).toHaveLength(9);
    expect(parseEnv({ RETRY_DELAYS: "5, 300" }).RETRY_DELAYS).toEqual([5_000, 300_000]);
    for (const wrong of [",", "0", "5,-1", "5s", "1.5", Array.from({ length: 21 }, () => "1").join()]) {
      expect(listIssues({ RETRY_DELAYS: wrong })).toEqual(["RETRY_DELAYS"]);
    }
  });

  it("delete what accumulates after the days that they name, or never", () => {
    const days = {
      deliveries: 30,
      executions: 90,
      evaluations: 180,
      device_status: 180,
      notifications: 90,
      metrics_raw: 3,
      metrics_5m: 30,
      metrics_1h: 400,
    };
    expect(parseEnv({}).RETENTION).toEqual(days);
    const changed = parseEnv({ RETENTION: "deliveries=7, executions=keep,notifications = 0" }).RETENTION;
    expect(changed).toEqual({ ...days, deliveries: 7, executions: null, notifications: null });
    for (const wrong of [",", "delivery=3", "deliveries", "deliveries=-1", "deliveries=1.5", "deliveries=99999"]) {
      expect([wrong, listIssues({ RETENTION: wrong })]).toEqual([wrong, expect.arrayContaining(["RETENTION"])]);
    }
  });

  it("take several secrets, the first of which signs, and add AUTH_SECRET to them", () => {
    const [a, b] = ["a".repeat(32), "b".repeat(32)];
    expect(parseEnv({ AUTH_SECRET: a })).toMatchObject({ AUTH_SECRET: a, AUTH_SECRETS: [a] });
    expect(parseEnv({ AUTH_SECRETS: `${b}, ${a}` })).toMatchObject({ AUTH_SECRET: b, AUTH_SECRETS: [b, a] });
    expect(parseEnv({ AUTH_SECRETS: b, AUTH_SECRET: a })).toMatchObject({ AUTH_SECRET: b, AUTH_SECRETS: [b, a] });
    expect(parseEnv({ AUTH_SECRETS: `${a},${a}` }).AUTH_SECRETS).toEqual([a]);
    expect(parseEnv({})).toMatchObject({ AUTH_SECRETS: [] });
    expect(listIssues({ AUTH_SECRETS: `${a},short` })).toEqual(["AUTH_SECRETS"]);
  });

  it("reduce PUBLIC_URL to its origin and refuse a path", () => {
    expect(parseEnv({ PUBLIC_URL: "https://fleet.example.com/" }).PUBLIC_URL).toBe("https://fleet.example.com");
    expect(listIssues({ PUBLIC_URL: "https://fleet.example.com/muster" })).toEqual(["PUBLIC_URL"]);
  });

  const oidc = {
    OIDC_ISSUER: "https://login.example.com/realms/acme",
    OIDC_CLIENT_ID: "muster",
    OIDC_CLIENT_SECRET: "secret",
    OIDC_DOMAINS: "example.com=acme, example.org=acme-labs",
  };

  it("of OpenID Connect count together, and are none without an issuer", () => {
    expect(parseEnv({}).OIDC).toBeUndefined();
    expect(parseEnv({ ...oidc, OIDC_ISSUER: "" }).OIDC).toBeUndefined();
    const { OIDC } = parseEnv({ ...oidc, OIDC_ROLE_CLAIM: "groups", OIDC_ROLES: "cn=admins=admin, crew=viewer" });
    expect(OIDC).toMatchObject({ issuer: oidc.OIDC_ISSUER, clientId: "muster", name: "single sign-on" });
    expect([...(OIDC?.domains ?? [])]).toEqual([
      ["example.com", "acme"],
      ["example.org", "acme-labs"],
    ]);
    expect([...(OIDC?.roles ?? [])]).toEqual([
      ["cn=admins", "admin"],
      ["crew", "viewer"],
    ]);
    expect(parseEnv(oidc).OIDC?.roles.has("owner")).toBe(false);
    expect(listIssues({ OIDC_ISSUER: oidc.OIDC_ISSUER })).toEqual([
      "OIDC_CLIENT_ID",
      "OIDC_CLIENT_SECRET",
      "OIDC_DOMAINS",
    ]);
  });

  it("refuse a METRICS_PORT that leaves no port for web or for the worker after it", () => {
    expect(listIssues({ PORT: "3000", METRICS_PORT: "3000" })).toEqual(["METRICS_PORT"]);
    expect(listIssues({ PORT: "3000", METRICS_PORT: "2999" })).toEqual(["METRICS_PORT"]);
    expect(listIssues({ PORT: "3000", METRICS_PORT: "3001" })).toEqual([]);
    expect(listIssues({ METRICS_TOKEN: "too-short" })).toEqual(["METRICS_TOKEN"]);
  });

  it.each([
    [
      "OIDC_ISSUER",
      ["http://login.example.com", "login.example.com", "https://login.example.com/?a=1", "https://a/#b"],
    ],
    ["OIDC_DOMAINS", ["example.com", "=acme", "example.com=Acme", "*.example.com=acme", "a.b=x,a.b=y", "com=acme"]],
    ["OIDC_ROLES", ["crew", "crew=boss", "=admin", "crew=member,crew=admin"]],
  ])("refuse a wrong %s", (name, values) => {
    for (const value of values) expect([value, listIssues({ ...oidc, [name]: value })[0]]).toEqual([value, name]);
    expect(listIssues({ ...oidc, OIDC_ISSUER: "http://127.0.0.1:4000" })).toEqual([]);
  });
});

it.each([
  ["disk", "disk"],
  ["s3://muster-files", { bucket: "muster-files", prefix: null }],
  ["s3://muster-files/", { bucket: "muster-files", prefix: null }],
  ["s3://muster-files/production/eu/", { bucket: "muster-files", prefix: "production/eu" }],
])("files are stored where STORAGE says: %s", (STORAGE, expected) => {
  expect(parseEnv({ STORAGE }).STORAGE).toEqual(expected);
});

it.each([
  [{ STORAGE: "s3:/files" }, "STORAGE: must be"],
  [{ STORAGE: "https://files" }, "STORAGE: must be"],
  [{ S3_ENDPOINT: "files:9000" }, "S3_ENDPOINT: must look like"],
  [{ S3_ACCESS_KEY_ID: "only" }, "set both or neither"],
])("a store that cannot be meant is refused: %j", (variables, fault) => {
  expect(() => parseEnv(variables)).toThrow(fault);
});
