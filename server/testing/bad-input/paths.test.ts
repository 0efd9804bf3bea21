import { beforeAll, describe, expect, test } from "vitest";
import { app } from "@/server/composition/rest-app";
import {
  operations,
  listParameters,
  buildPath,
  sharedFixture,
  getValue,
  withKey,
  type Fixture,
} from "@/server/testing/bad-input/fixture";
import { validBody } from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { request } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/** Rows 29–33 for every parameter of every path, and rows 85 and 86 for every operation that needs a key. */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await sharedFixture();
});

const withParameters = operations.filter(([, endpoint]) => listParameters(endpoint).length > 0);

const send = (endpoint: Endpoint, instead: Record<string, string>) =>
  request(endpoint.method, buildPath(endpoint, fixture.ids, instead), {
    key: fixture.key,
    ...(endpoint.body && { body: validBody(endpoint, fixture) }),
  });

/** Values that name no object, derived from the value of this organization's object. */
function listUnknownValues(value: string): string[] {
  const bare = value.replace(/^[a-z]+_/, "");
  const isUuid = /^[0-9a-f]{8}-/.test(bare);
  const prefix = value.slice(0, value.length - bare.length);
  return [
    ...["not-a-uuid", `{${value}}`, `${value}%00`, `..%2f${value}`, "x".repeat(10_000), "%C3%28"],
    ...(value === value.toUpperCase() ? [] : [value.toUpperCase()]),
    ...(isUuid ? [`dev_${bare}`, `evt_${bare}`].filter((other) => other !== value) : []),
    ...(isUuid
      ? [`${prefix}00000000-0000-0000-0000-000000000000`, `${prefix}00000000-0000-0000-0000-000000000001`]
      : []),
    ...(prefix !== "" && isUuid ? [bare] : []),
  ];
}

describe("rows 29–32: a value that names no object is not found", () => {
  test.each(withParameters)("%s", async (_, endpoint) => {
    await changingNothing(async () => {
      for (const parameter of listParameters(endpoint)) {
        for (const value of listUnknownValues(getValue(endpoint, parameter, fixture.ids))) {
          const response = await send(endpoint, { [parameter]: value });
          expect([response.status, response.body], `${parameter}=${value.slice(0, 60)}`).toEqual([
            404,
            { detail: expect.any(String) },
          ]);
        }
      }
    });
  });
});

describe("row 33: another organization's object is refused like one that does not exist", () => {
  test.each(withParameters)("%s", async (_, endpoint) => {
    await changingNothing(async () => {
      for (const parameter of listParameters(endpoint).filter((name) => name !== "version")) {
        const value = getValue(endpoint, parameter, fixture.foreign);
        const random = /^[a-z]*_?[0-9a-f]{8}-/.test(value)
          ? value.slice(0, -12) + "0123456789ab"
          : `x${value.slice(1, -1)}x`;
        const [foreign, unknown] = [
          await send(endpoint, { [parameter]: value }),
          await send(endpoint, { [parameter]: random }),
        ];
        expect([unknown.status, unknown.body], parameter).toEqual([404, { detail: expect.any(String) }]);
        // Anyone with an invitation's token may read it, but only the invited person may accept it.
        if (parameter === "token")
          expect([foreign.status, foreign.body]).toEqual([403, { detail: expect.any(String) }]);
        else expect([foreign.status, foreign.body], parameter).toEqual([unknown.status, unknown.body]);
      }
    });
  });
});

describe("the objects of these paths exist", () => {
  test.each(withParameters.filter(([, { method, query }]) => method === "GET" && !query))(
    "GET %s",
    async (_, endpoint) => {
      const response = await send(endpoint, {});
      expect([response.status, JSON.stringify(response.body)]).toEqual([200, expect.any(String)]);
    },
  );
});

describe("rows 85 and 86: a key that is missing, misplaced or malformed is refused", () => {
  const missing = "Authentication credentials were not provided.";
  const invalid = "Invalid API key.";
  test.each(withKey)("%s", async (_, endpoint) => {
    const { key } = fixture;
    const bearer: [string, Record<string, string>, string] = ["", { authorization: `Bearer ${key}` }, missing];
    const given: [string, Record<string, string>, string][] = [
      ...(endpoint.id === "mcp.message" ? [] : [bearer]), // the only operation that takes a key like this
      [`?x_service_api_key=${key}&api_key=${key}&key=${key}`, {}, missing],
      ["", { cookie: `x-service-api-key=${key}` }, missing],
      ["", { authorization: key }, missing],
      ["", { "x-service-api-key": "" }, invalid],
      ["", { "x-service-api-key": `${key}x` }, invalid],
      ["", { "x-service-api-key": `${key}, ${key}` }, invalid], // how two headers of one name arrive
      ["", { "x-service-api-key": "svk_é" }, invalid],
      ["", { "x-service-api-key": `svk_${"x".repeat(10_000)}` }, invalid],
    ];
    await changingNothing(async () => {
      for (const [query, headers, detail] of given) {
        const response = await app.request(`/api/v1${buildPath(endpoint, fixture.ids)}${query}`, {
          method: endpoint.method,
          headers,
        });
        expect([response.status, await response.json()], JSON.stringify(headers).slice(0, 80)).toEqual([
          401,
          { detail },
        ]);
      }
    });
  });
});
