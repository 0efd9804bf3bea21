import { beforeAll, describe, expect, test } from "vitest";
import { registry } from "@/server/composition/rest-registry";
import {
  credentialFor,
  makeFixture,
  operationNamed,
  buildPath,
  withBody,
  type Fixture,
} from "@/server/testing/bad-input/fixture";
import { expectReadBack } from "@/server/testing/bad-input/read-back";
import {
  listFields,
  isFreeText,
  ofType,
  toJsonSchema,
  validBody,
  type Field,
} from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { operations } from "@/server/testing/operations";
import { request, type Reply } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/**
 * Input that looks hostile and is only unusual: rows 8, 16–18, 22 and 23 (the longest text), 26–28, 38, 39, 44 and 45.
 * Every operation with a body accepts it and stores it as sent; members that the server owns are ignored.
 */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await makeFixture();
  // A result can be submitted to an open task of an approved project.
  for (const step of [`/projects/${fixture.ids.project}/approve/`, `/tasks/${fixture.ids.task}/open/`]) {
    expect((await request("POST", step, { key: fixture.key })).status, step).toBe(200);
  }
});

type Json = Record<string, unknown>;

/** A caller in several organizations has to select one in the query; the owner joins some during these tests. */
const getOrganization = (endpoint: Endpoint) =>
  listFields(endpoint.query).some(({ name }) => name === "organization") ? `?organization=${fixture.org.slug}` : "";
const send = (endpoint: Endpoint, body: unknown) =>
  request<Json>(endpoint.method, `${buildPath(endpoint, fixture.ids)}${getOrganization(endpoint)}`, {
    ...credentialFor(fixture, endpoint),
    raw: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Operations that need something outside Muster or succeed only once. */
const oneTime = /^(storage-configs\.create|invitations\.accept|recordings\.upload-init|tasks\.submit)$/;
const creating = (endpoint: Endpoint) => endpoint.status === 201 && !oneTime.test(endpoint.id);
/** The first result closes its task, so that a second one is refused. */
const creatingAgain = (endpoint: Endpoint) => creating(endpoint) && endpoint.id !== "results.submit";

/** Expects that no error names one of the fields, and that a created object reads back as returned. */
async function expectAccepted(
  endpoint: Endpoint,
  response: Reply<Json>,
  fields: readonly Field[],
  label: string,
  creates = creatingAgain(endpoint),
) {
  expect(response.status, `${label}: ${JSON.stringify(response.body)?.slice(0, 300)}`).toBeLessThan(500);
  if (response.status === 400) {
    expect(
      fields.filter(({ name }) => name in response.body).map(({ name }) => [name, response.body[name]]),
      label,
    ).toEqual([]);
  }
  if (!creates) return;
  expect([endpoint.status, ...(endpoint.alternatives ?? [])], `${label}: ${JSON.stringify(response.body)}`).toContain(
    response.status,
  );
  await expectReadBack(endpoint, fixture, response.body);
}

const objects = withBody.filter(([, endpoint]) => toJsonSchema(endpoint.body).type === "object");
const freeText = (endpoint: Endpoint) => listFields(endpoint.body).filter(isFreeText);
const getMaxLength = ({ schema }: Field) => ofType(schema, "string")?.maxLength ?? 255;
const codePoints = (text: string, count: number) => [...text.repeat(count)].slice(0, count).join("");

const invisible = "a\u202eb\u200bc\ufeffd\u0007e é e\u0301";
const unusual: [string, (max: number) => string][] = [
  ["row 22: the longest text", (max) => codePoints("long name ", max - 3)],
  ["row 23: emoji, each one character", (max) => "🤖".repeat(max - 3)],
  ["row 26: combining marks", (max) => "e" + "\u0301".repeat(Math.min(max - 4, 1_000))],
  [
    "rows 26–28: formulas, markup, templates, SQL, and right-to-left, invisible or decomposed letters",
    (max) => codePoints(`=1<b>{{7*7}}'; DROP TABLE devices-- ${invisible}`, Math.min(max - 3, 56)),
  ],
];

describe("a minimal body is accepted, and the object reads back as returned:", () => {
  test.each(operations.filter(creating).map((endpoint) => [endpoint.id, endpoint] as const))(
    "%s",
    async (_, endpoint) => {
      const response = await send(endpoint, validBody(endpoint, fixture));
      await expectAccepted(endpoint, response, [], "the sample", true);
    },
  );
});

describe("every text field accepts unusual text:", () => {
  const withText = objects.filter(([, endpoint]) => freeText(endpoint).length > 0);
  test.each(withText)("%s", async (_, endpoint) => {
    const fields = freeText(endpoint);
    // Three letters at the end make the names differ between operations, because some must be unique.
    const tail = (100 + registry.indexOf(endpoint)).toString(36).padStart(3, "z");
    for (const [what, make] of unusual) {
      const given = Object.fromEntries(fields.map((field) => [field.name, `${make(getMaxLength(field))}${tail}`]));
      const response = await send(endpoint, { ...(validBody(endpoint, fixture) as Json), ...given });
      await expectAccepted(endpoint, response, fields, what);
      if (response.status >= 300) continue;
      const shown = fields.filter(({ name }) => typeof response.body[name] === "string").map(({ name }) => name);
      for (const name of shown) expect(response.body[name], `${what} is stored as sent`).toBe(given[name]);
    }
  });
});

const serverOwned: Json = {
  uid: "00000000-0000-7000-8000-0000000000ff",
  id: 99,
  created_at: "2001-01-01T00:00:00Z",
  updated_at: "2001-01-01T00:00:00Z",
  organization_id: "00000000-0000-7000-8000-0000000000ff",
  organizationId: "00000000-0000-7000-8000-0000000000ff",
  hit_count: 99,
  is_verified: true,
  token_hash: "mine",
  source: "mine",
  created_by: "mine",
};
const dangerous =
  '"__proto__":{"is_staff":true},"constructor":{"prototype":{"is_staff":true}},"prototype":{"is_staff":true}';

describe("rows 16–18: members that no client may set are ignored by", () => {
  test.each(objects)("%s", async (_, endpoint) => {
    const known = new Set(listFields(endpoint.body).map(({ name }) => name));
    const owned = Object.fromEntries(Object.entries(serverOwned).filter(([name]) => !known.has(name)));
    const body = JSON.stringify({
      ...(validBody(endpoint, fixture) as Json),
      ...owned,
      "no such field": { a: [1] },
      deviceToken: "mine",
    });
    const response = await send(endpoint, body.replace(/\}$/, `,${dangerous}}`));
    expect(({} as Json).is_staff).toBeUndefined();
    await expectAccepted(endpoint, response, [], "rows 16–18");
    expect(
      response.status === 400
        ? Object.keys(response.body).filter((name) => !known.has(name) && !/^(status|non_field_errors)$/.test(name))
        : [],
    ).toEqual([]);
    for (const [name, value] of Object.entries(owned)) {
      if (response.status < 300 && response.body && name in response.body)
        expect(response.body[name], name).not.toEqual(value);
    }
  });

  test("a dangerous key inside metadata is dropped and the rest is stored", async () => {
    const raw =
      '{"name":"proto","metadata":{"__proto__":{"is_staff":true},"constructor":1,"kept":{"prototype":2,"x":3}}}';
    const response = await send(operationNamed("devices.create"), raw);
    expect([response.status, response.body.metadata]).toEqual([201, { kept: { x: 3 } }]);
    expect(({} as Json).is_staff).toBeUndefined();
  });
});

describe("row 38: an empty change changes nothing:", () => {
  const patches = objects.filter(
    ([, { method, body }]) => method === "PATCH" && (toJsonSchema(body).required ?? []).length === 0,
  );
  // Links are signed anew for every response.
  const unsigned = (body: Json | undefined) => JSON.stringify(body).replace(/([?&])(expires|signature)=[\w-]+/g, "$1");
  test.each(patches)("%s", async (_, endpoint) => {
    const responses = await changingNothing(async () => [await send(endpoint, {}), await send(endpoint, {})]);
    for (const { status, body } of responses)
      expect([status, unsigned(body)]).toEqual([200, unsigned(responses[0]?.body)]);
  });
});

describe("row 39: a tag given twice is one:", () => {
  const tagged = objects.filter(([, endpoint]) => listFields(endpoint.body).some(({ name }) => name === "tags"));
  test.each(tagged)("%s", async (_, endpoint) => {
    const response = await send(endpoint, { ...(validBody(endpoint, fixture) as Json), tags: ["b", "a", "b"] });
    expect([response.status, response.body.tags]).toEqual([endpoint.status, ["b", "a"]]);
  });
});

describe("rows 44 and 45: times with nanoseconds, an offset or none are accepted by", () => {
  const times: [string, string][] = [
    ["2026-01-01T05:30:00.123456789+05:30", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T00:00:00", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01 00:00:00.5Z", "2026-01-01T00:00:00.500Z"],
  ];
  const timed = objects.filter(([, endpoint]) =>
    listFields(endpoint.body).some(({ schema }) => ofType(schema, "string")?.format === "date-time"),
  );
  test.each(timed)("%s", async (_, endpoint) => {
    // The end of a period must lie in the future, so it keeps its own value.
    const fields = listFields(endpoint.body).filter(
      ({ name, schema }) => ofType(schema, "string")?.format === "date-time" && !/^(ends_at|until)$/.test(name),
    );
    for (const [given, normal] of times) {
      const response = await send(endpoint, {
        ...(validBody(endpoint, fixture) as Json),
        ...Object.fromEntries(fields.map(({ name }) => [name, given])),
      });
      await expectAccepted(endpoint, response, fields, given);
      for (const { name } of fields) {
        const shown = response.body[name];
        if (response.status < 300 && typeof shown === "string" && name !== "last_seen_at")
          expect(new Date(shown).toISOString(), name).toBe(normal);
      }
    }
  });
});
