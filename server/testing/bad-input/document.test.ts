import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { maxJsonDepth, tooDeep } from "@/domain/fields";
import { app } from "@/server/composition/rest-app";
import {
  credentialFor,
  operationNamed,
  buildPath,
  sharedFixture,
  withBody,
  type Fixture,
} from "@/server/testing/bad-input/fixture";
import { listFields, ofType, toJsonSchema, validBody } from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { request } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/** Rows 1–16: bodies that are refused before any field is checked, sent to every operation with a body. */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await sharedFixture();
});

const send = (endpoint: Endpoint, raw: BodyInit, headers: Record<string, string> = {}) =>
  request(endpoint.method, buildPath(endpoint, fixture.ids), { ...credentialFor(fixture, endpoint), raw, headers });

const toHeaders = (credential: ReturnType<typeof credentialFor>): Record<string, string> =>
  "token" in credential ? { "x-service-device-token": credential.token } : { "x-service-api-key": credential.key };

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
const getLimit = (endpoint: Endpoint) => endpoint.maxBodyBytes ?? 1024 * 1024;
const isList = (endpoint: Endpoint) => endpoint.body instanceof z.ZodArray;
const isDetail = { detail: expect.any(String) };

/** A body that arrives in chunks without a declared length. */
function chunked(bytes: number): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      const size = Math.min(left, 64 * 1024);
      left -= size;
      if (size === 0) controller.close();
      else controller.enqueue(Buffer.alloc(size, " "));
    },
  });
}

async function stream(endpoint: Endpoint, body: ReadableStream<Uint8Array>): Promise<Response> {
  const init: RequestInit & { duplex: "half" } = {
    method: endpoint.method,
    headers: { ...toHeaders(credentialFor(fixture, endpoint)), "content-type": "application/json" },
    body,
    duplex: "half",
  };
  return app.request(`/api/v1${buildPath(endpoint, fixture.ids)}`, init);
}

describe("every operation that takes a body refuses", () => {
  test.each(withBody)("%s", async (_, endpoint) => {
    await changingNothing(async () => {
      await emptyBody(endpoint);
      await malformedDocuments(endpoint);
      await foreignEncodings(endpoint);
      await tooLarge(endpoint);
      await tooDeepOrUnstorable(endpoint);
    });
  });
});

/**
 * Row 1. An empty body is `{}`, which lacks every required field; where none is required it changes nothing (row 38).
 */
async function emptyBody(endpoint: Endpoint) {
  const required = toJsonSchema(endpoint.body).required ?? [];
  if (isList(endpoint)) return expect((await send(endpoint, "")).status).toBe(400);
  if (required.length === 0) return;
  for (const raw of ["", "{}"]) {
    const response = await send(endpoint, raw);
    expect([response.status, response.body], `row 1: ${raw}`).toEqual([
      400,
      Object.fromEntries(required.map((field) => [field, ["This field is required."]])),
    ]);
  }
}

/** Rows 2–6 and 9. */
async function malformedDocuments(endpoint: Endpoint) {
  const wrong = [
    '{"type":',
    ...["null", "42", '"x"', "true"],
    isList(endpoint) ? "{}" : "[]",
    ...["{}x", "{} {}", "\u00a0{}"],
    ...['{"a": NaN}', '{"a": -Infinity}', "{'a': 1}", "{} // no"],
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  ];
  for (const raw of wrong) {
    const response = await send(endpoint, raw);
    // JSON-RPC has its own error for a batch (row 95).
    if (raw === "[]" && endpoint.malformed)
      expect([response.status, response.body]).toEqual([400, endpoint.malformed([])]);
    else
      expect([response.status, response.body], `rows 2–6, 9: ${raw.toString()}`).toEqual([
        400,
        { non_field_errors: [expect.any(String)] },
      ]);
  }
  const broken = await send(endpoint, '{"type":');
  expect(broken.body).toEqual({ non_field_errors: [expect.stringMatching(/^JSON parse error /)] });
}

/** Rows 7 and 10. */
async function foreignEncodings(endpoint: Endpoint) {
  const valid = JSON.stringify(validBody(endpoint, fixture));
  const refused: Record<string, string>[] = [
    { "content-type": "text/plain" },
    { "content-type": "multipart/form-data; boundary=x" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": 'application/json;CHARSET="iso-8859-1"' },
    { "content-encoding": "gzip" },
  ];
  for (const headers of refused) {
    const response = await send(endpoint, valid, headers);
    expect([response.status, response.body], `rows 7, 10: ${JSON.stringify(headers)}`).toEqual([415, isDetail]);
  }
}

/** Row 11. */
async function tooLarge(endpoint: Endpoint) {
  const limit = getLimit(endpoint);
  const declared = await send(endpoint, Buffer.alloc(limit + 1, " "), { "content-length": String(limit + 1) });
  expect([declared.status, declared.body, declared.headers.get("connection")], "row 11").toEqual([
    413,
    isDetail,
    "close",
  ]);
  const inChunks = await stream(endpoint, chunked(limit + 1));
  expect([inChunks.status, await inChunks.json(), inChunks.headers.get("connection")], "row 11, chunked").toEqual([
    413,
    isDetail,
    "close",
  ]);
}

/** Rows 13, 24 and 25 in the first field of the body, and in a key. */
async function tooDeepOrUnstorable(endpoint: Endpoint) {
  const field = isList(endpoint) ? "non_field_errors" : (listFields(endpoint.body)[0]?.name ?? "metadata");
  const holding = (json: string) => (isList(endpoint) ? `[${json}]` : `{"${field}":${json}}`);
  const wrong: [string, string][] = [
    [holding(nested(maxJsonDepth + 1)), tooDeep],
    [holding(nested(10_000)), tooDeep],
    [holding('"a\\u0000b"'), "Null characters are not allowed."],
    [holding('{"a\\u0000b": 1}'), "Null characters are not allowed."],
    [holding('["\\ud800"]'), "Invalid Unicode is not allowed."],
    [holding('{"\\udfff": 1}'), "Invalid Unicode is not allowed."],
    [holding("1e400"), "Out of range float values are not JSON compliant."],
  ];
  for (const [raw, message] of wrong) {
    const response = await send(endpoint, raw);
    expect([response.status, response.body], `rows 13, 24, 25, 48: ${raw.slice(0, 60)}`).toEqual([
      400,
      { [field]: [message] },
    ]);
  }
  if (isList(endpoint)) return;
  const key = await send(endpoint, '{"a\\u0000b": 1}');
  expect([key.status, key.body], "row 24, key").toEqual([
    400,
    { non_field_errors: ["Null characters are not allowed."] },
  ]);
}

describe("extreme bodies", () => {
  const devices = () => operationNamed("devices.create");

  test("row 12: 200 MB of spaces are refused without being read", async () => {
    let pieces = 0;
    const spaces = Buffer.alloc(1024 * 1024, " ");
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pieces > 200) controller.close();
        else controller.enqueue(spaces);
      },
    });
    const response = await changingNothing(() => stream(devices(), body));
    expect(response.status).toBe(413);
    expect(pieces).toBeLessThan(10);
  });

  test("row 13: half a million levels are refused with the field's name, and a million for their size", async () => {
    const refused = (depth: number) => send(devices(), `{"name":"deep","metadata":${nested(depth)}}`);
    await changingNothing(async () => {
      const deep = await refused(500_000);
      expect([deep.status, deep.body]).toEqual([400, { metadata: [tooDeep] }]);
      expect((await refused(1_000_000)).status).toBe(413);
    });
  });

  const freeForm = withBody.flatMap(([name, endpoint]) =>
    listFields(endpoint.body)
      .filter(({ name: field, schema }) => /^(metadata|metrics)$/.test(field) && ofType(schema, "object"))
      .map(({ name: field }) => [name, field, endpoint] as const),
  );

  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [n.toString(36), 0]));
  test.each(freeForm)("row 14: %s refuses 100,000 keys in %s", async (_, field, endpoint) => {
    const body = { ...(validBody(endpoint, fixture) as object), [field]: many };
    const response = await changingNothing(() => send(endpoint, JSON.stringify(body)));
    expect([response.status, response.body]).toEqual([
      400,
      { [field]: ["Ensure this field is no larger than 65536 bytes."] },
    ]);
  });

  test("row 5, 8 and 15: a byte order mark, no Content-Type and a repeated key are accepted", async () => {
    const raw = Buffer.from('\ufeff{"name":"first","name":"last"}');
    const response = await app.request("/api/v1/fleet/devices/", {
      method: "POST",
      headers: { "x-service-api-key": fixture.key },
      body: raw,
    });
    const created = (await response.json()) as { uid: string; name: string };
    expect([response.status, response.headers.get("content-type"), created.name]).toEqual([
      201,
      "application/json",
      "last",
    ]);
    const read = await request("GET", `/fleet/devices/${created.uid}/`, { key: fixture.key });
    expect(read.body).toMatchObject({ uid: created.uid, name: "last" });
  });
});
