import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { isForDevices, scopes } from "@/domain/permissions";
import { describeApi } from "@/server/composition/openapi";
import { app } from "@/server/composition/rest-app";
import { registry } from "@/server/composition/rest-registry";
import { addMember, makeDevice, makeKey, makeOrganization } from "@/server/testing/factories";
import { operations } from "@/server/testing/operations";
import { request } from "@/server/testing/requests";
import type { Endpoint, Method } from "@/server/transport/rest/endpoint";

/** Guarantees of every operation of the registry; a new operation is covered by being in it. */

const org = await makeOrganization();
const { key: staffKey } = await addMember(org, "admin", { staff: true });

const { device_token: token } = await makeDevice(org);

/** The credential of somebody who may call the endpoint. */
function credentialFor({ access }: Endpoint): { key: string } | { token: string } {
  if (access && isForDevices(access)) return { token };
  return { key: access?.permission.includes("staff") ? staffKey : org.key };
}

const headersFor = (credential: ReturnType<typeof credentialFor>): Record<string, string> =>
  "token" in credential ? { "x-service-device-token": credential.token } : { "x-service-api-key": credential.key };

/** A well-formed value of a path parameter that identifies no object, derived from the parameter's schema. */
function absentValue(endpoint: Endpoint, name: string): string {
  const properties = endpoint.params ? z.toJSONSchema(endpoint.params, { io: "input" }).properties : {};
  const schema = JSON.stringify(properties?.[name] ?? {});
  const prefix = /"pattern":"\^(\w*)\[0-9a-f\]/.exec(schema)?.[1];
  return prefix === undefined ? "no-such-thing" : `${prefix}00000000-0000-7000-8000-000000000001`;
}
const absentPath = (endpoint: Endpoint): string =>
  endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => absentValue(endpoint, name));

const named = operations.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);
const withKey = named.filter(([, endpoint]) => endpoint.access);
const isDetail = { detail: expect.any(String) };

/** The names of the members that a body must have. */
const requiredFields = ({ body }: Endpoint): string[] =>
  z.toJSONSchema(body as z.ZodType, { io: "input", unrepresentable: "any" }).required ?? [];

describe("every operation", () => {
  test("has a unique id and a description, and requires a permission unless it is anonymous", () => {
    const ids = registry.map((endpoint) => endpoint.id);
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([]);
    for (const endpoint of registry) {
      expect(endpoint.summary, endpoint.id).not.toBe("");
      expect(endpoint.access === null || endpoint.access.permission.length > 0, endpoint.id).toBe(true);
      expect(endpoint.status === 204 || endpoint.response !== undefined, `${endpoint.id} publishes its response`).toBe(
        true,
      );
    }
  });

  test.each(withKey)("%s is 401 without a key and with an invalid one", async (_, endpoint) => {
    const key = 'ApiKey header="X-Service-Api-Key"';
    for (const [headers, detail] of [
      [{}, "Authentication credentials were not provided."],
      [
        { authorization: endpoint.bearerKeys ? "Basic eA==" : `Bearer ${org.key}` },
        "Authentication credentials were not provided.",
      ],
      [{ cookie: `key=${org.key}` }, "Authentication credentials were not provided."],
      [{ "x-service-api-key": "svk_nonsense" }, "Invalid API key."],
    ] as const) {
      const response = await request(endpoint.method, absentPath(endpoint), { headers });
      expect([response.status, response.body]).toEqual([401, { detail }]);
      const refused = detail === "Invalid API key." ? ', error="invalid_token"' : "";
      expect(response.headers.get("www-authenticate")).toBe(
        endpoint.bearerKeys ? `Bearer realm="Muster"${refused}, ${key}` : key,
      );
    }
  });

  test.each(withKey)("%s is 403 for a key without its scope", async (_, endpoint) => {
    const useless = scopes.filter((scope) => !endpoint.access?.permission.includes(scope));
    const key = await makeKey(org, org.owner, { scopes: useless });
    const response = await request(endpoint.method, absentPath(endpoint), { key });
    expect([response.status, response.body]).toEqual([
      403,
      { detail: "You do not have permission to perform this action." },
    ]);
  });

  const ofObjects = withKey.filter(
    ([, { path: at, access }]) => at.includes("{") && !access?.permission.includes("staff"),
  );
  test.each(ofObjects)("%s is 404 for an object that does not exist, with any body", async (_, endpoint) => {
    for (const body of endpoint.body ? [{}, { name: 3, status: [] }] : [undefined]) {
      const response = await request(endpoint.method, absentPath(endpoint), { key: org.key, body });
      expect([response.status, response.body], JSON.stringify(body)).toEqual([404, isDetail]);
    }
  });

  test.each(withKey.filter(([, endpoint]) => endpoint.path.includes("{uid}")))(
    "%s is 404 for a malformed identifier",
    async (_, endpoint) => {
      for (const uid of [
        "not-a-uuid",
        "%00",
        "..%2f..",
        `{${"0".repeat(8)}}`,
        "DEV_00000000-0000-7000-8000-000000000001",
        "x".repeat(10_000),
      ]) {
        const response = await request(
          endpoint.method,
          endpoint.path.replace("{uid}", uid).replaceAll(/\{(\w+)\}/g, "x"),
          {
            key: org.key,
          },
        );
        expect(response.status, uid.slice(0, 50)).toBe(404);
      }
    },
  );

  const withoutObject = named.filter(([, endpoint]) => endpoint.body && !endpoint.path.includes("{"));
  const withRequiredFields = withoutObject
    .filter(([, { method }]) => method === "POST")
    .map(([name, endpoint]) => [name, endpoint, requiredFields(endpoint)] as const)
    .filter(([, , required]) => required.length > 0);
  test.each(withRequiredFields)("%s blames every required field of an empty body", async (_, endpoint, required) => {
    const response = await request(endpoint.method, endpoint.path, {
      ...credentialFor(endpoint),
      headers: { "content-type": "application/json" },
    });
    const expected = required.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect([response.status, response.body]).toEqual([
      400,
      Object.fromEntries(expected.map((field) => [field, ["This field is required."]])),
    ]);
  });

  test.each(withoutObject)("%s refuses what is not a JSON object", async (_, endpoint) => {
    const list = endpoint.body instanceof z.ZodArray;
    const wrong = [
      "null",
      "42",
      '"x"',
      "true",
      list ? "{}" : "[]",
      '{"type":',
      "{}x",
      "{} {}",
      "{'a': 1}",
      '{"a": NaN}',
      "// no",
    ];
    for (const body of wrong) {
      const response = await request(endpoint.method, endpoint.path, { ...credentialFor(endpoint), raw: body });
      // JSON-RPC has its own error for a batch.
      if (body === "[]" && endpoint.malformed)
        expect([response.status, response.body]).toEqual([400, endpoint.malformed([])]);
      else expect([response.status, response.body], body).toEqual([400, { non_field_errors: [expect.any(String)] }]);
    }
    const invalidUtf8 = await app.request(`http://127.0.0.1:3000/api/v1${endpoint.path}`, {
      method: endpoint.method,
      headers: headersFor(credentialFor(endpoint)),
      body: Buffer.from([0x22, 0xc3, 0x28, 0x22]),
    });
    expect(invalidUtf8.status).toBe(400);
    const refused: Record<string, string>[] = [{ "content-type": "text/plain" }, { "content-encoding": "gzip" }];
    for (const headers of refused) {
      const response = await request(endpoint.method, endpoint.path, {
        ...credentialFor(endpoint),
        raw: '{"a":1}',
        headers,
      });
      expect([response.status, response.body]).toEqual([415, isDetail]);
    }
    const large = await request(endpoint.method, endpoint.path, {
      ...credentialFor(endpoint),
      raw: `"${"x".repeat((endpoint.maxBodyBytes ?? 1024 * 1024) + 1)}"`,
    });
    expect([large.status, large.body, large.headers.get("connection")]).toEqual([413, isDetail, "close"]);
  });

  test.each(named)(
    "%s responds with and without its slash, with rate limits and a request id, and never redirects",
    async (_, endpoint) => {
      const paths = [...new Set([absentPath(endpoint), absentPath(endpoint).replace(/\/$/, "")])];
      const responses = await Promise.all(
        paths.map((at) => request(endpoint.method, at, { headers: { "x-request-id": "mine-1" } })),
      );
      expect(new Set(responses.map((response) => response.status)).size).toBe(1);
      for (const { status, headers } of responses) {
        expect(status < 300 || status >= 400).toBe(true);
        for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"]) {
          expect(headers.get(name), name).toMatch(/^\d+$/);
        }
        expect(headers.get("x-request-id")).toBe("mine-1");
        expect(headers.get("content-type")).toBe("application/json");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
    },
  );
});

describe("every path", () => {
  const methods: (Method | "OPTIONS")[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
  const served = new Map<string, string[]>();
  for (const { path: at, method } of registry) served.set(at, [...(served.get(at) ?? []), method]);

  const paths = new Set<string>(operations.map((endpoint) => endpoint.path));
  test.each([...served].filter(([at]) => paths.has(at)))(
    "%s is 405 with Allow for methods it has not",
    async (at, allowed) => {
      const concrete = absentPath(registry.find((endpoint) => endpoint.path === at) as Endpoint);
      for (const method of methods.filter((candidate) => !allowed.includes(candidate))) {
        const response = await request(method, concrete, {
          key: org.key,
          headers: { "x-http-method-override": allowed[0] ?? "" },
        });
        const list = [...allowed, ...(allowed.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
        expect([response.status, response.headers.get("allow"), response.body]).toEqual([405, list, isDetail]);
      }
    },
  );

  test("an unknown path is 404, with and without a key", async () => {
    for (const key of [org.key, undefined]) {
      const response = await request("GET", "/no/such/path/", key === undefined ? {} : { key });
      expect([response.status, response.body]).toEqual([404, { detail: "Not found." }]);
    }
  });

  test("HEAD responds like GET, without a body", async () => {
    const response = await app.request("http://127.0.0.1:3000/api/v1/fleet/devices/", {
      method: "HEAD",
      headers: { "x-service-api-key": org.key },
    });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });
});

describe("the specification", () => {
  test("the OpenAPI document is served to anyone and is the one that was reviewed", async () => {
    const response = await request("GET", "/openapi.json");
    expect(response.status).toBe(200);
    const document = describeApi("http://127.0.0.1:3000");
    expect(response.body).toEqual(JSON.parse(JSON.stringify(document)));
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
      path.join(import.meta.dirname, "openapi.snapshot.json"),
    );
  });
});
