import { beforeAll, describe, expect, test } from "vitest";
import { buildPath, sharedFixture, withQuery, type Fixture } from "@/server/testing/bad-input/fixture";
import { listFields, buildMinimal, ofType, listVariants, type Field } from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { makeDevice } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/** Rows 24, 28, 34, 40–43, 46, 47, 50, 51 and 53–57 on every parameter of every query, by its published schema. */

let fixture: Fixture;
/** A cursor that another list issued. */
let foreignCursor: string;
beforeAll(async () => {
  fixture = await sharedFixture();
  await makeDevice(fixture.org);
  const { body } = await request("GET", "/fleet/devices/?limit=1&type=&search=", { key: fixture.key });
  foreignCursor = new URL(body.next ?? "").searchParams.get("cursor") ?? "";
});

/** The required parameters of an operation. */
const listRequired = (endpoint: Endpoint) =>
  listFields(endpoint.query)
    .filter(({ required }) => required)
    .map(({ name, schema }) => [name, String(buildMinimal(schema, name, fixture))]);

const send = (endpoint: Endpoint, given: [string, string][]) => {
  const query = new URLSearchParams([
    ...listRequired(endpoint).filter(([name]) => !given.some(([other]) => other === name)),
    ...given,
  ] as [string, string][]);
  return request<Record<string, string[]> & { results?: unknown[] }>(
    endpoint.method,
    `${buildPath(endpoint, fixture.ids)}?${query}`,
    { key: fixture.key },
  );
};

const choices = ({ schema }: Field) => listVariants(schema).flatMap((variant) => variant.enum ?? []);
const isTime = ({ schema }: Field) => ofType(schema, "string")?.format === "date-time";
const isBoolean = (field: Field) => choices(field).includes("true");
/** Parameters that take several values of a fixed set. */
const isClosedList = ({ name }: Field) => /^(status|severity|state|data_type|run_status|condition_type)$/.test(name);

/** Wrong values of a parameter, each with its row of the table. */
function wrongValues(field: Field, endpoint: Endpoint): [number, string][] {
  const { name, schema } = field;
  const wrong: [number, string][] = [];
  const add = (row: number, ...values: string[]) =>
    wrong.push(...values.map((value): [number, string] => [row, value]));
  if (name === "limit") add(50, "0", "-1", "abc", "1e9", "10.5", "", " ", "１", "9".repeat(30));
  if (name === "cursor")
    add(51, "garbage", "a.b", `${foreignCursor}`, foreignCursor.slice(0, -3), "x".repeat(10_000), "%");
  if (isTime(field)) {
    add(47, "yesterday", "");
    add(40, "2024-02-30T00:00:00Z", "Jan 1 2024", "infinity", "2024-01-01T23:59:60Z", "+275760-09-13T00:00:00Z");
    // A moment of a recording may be given in nanoseconds, where 0 is 1970.
    if (!/^(from|to|at)$/.test(name)) add(41, "0", "1");
  }
  if (isBoolean(field)) add(57, "maybe", "");
  else if (choices(field).length > 0)
    add(name === "order_by" ? 55 : 56, "password", "owner__email", "timestamp;drop", "label", "");
  if (isClosedList(field)) add(34, "exploded", "ERROR", "'; DROP TABLE devices--");
  if (name.startsWith("metadata")) add(53, '{"a":', "[]", '"x"', `${'{"a":'.repeat(40)}1${"}".repeat(40)}`);
  if (name === "tags") add(54, Array.from({ length: 5_000 }, (_, n) => `t${n}`).join(","));
  const max = ofType(schema, "string")?.maxLength;
  if (max !== undefined && endpoint.query) add(22, "x".repeat(max + 1));
  return wrong;
}

describe("a wrong parameter is refused with its name:", () => {
  test.each(withQuery)("%s", async (_, endpoint) => {
    const fields = listFields(endpoint.query);
    const refused = async (given: [string, string][], wrongNames: string[], rows: string) => {
      const response = await send(endpoint, given);
      const expected = Object.fromEntries(wrongNames.map((name) => [name, [expect.any(String)]]));
      expect([response.status, response.body], `${rows}: ${JSON.stringify(given).slice(0, 200)}`).toEqual([
        400,
        expected,
      ]);
    };
    await changingNothing(async () => {
      // A cursor is checked by the list, after the schema has accepted the query, so cursors are sent alone.
      const [checkedFirst, cursors] = [
        fields.filter(({ name }) => name !== "cursor"),
        fields.filter(({ name }) => name === "cursor"),
      ];
      for (const group of [checkedFirst, cursors]) {
        const wrong = new Map(group.map((field) => [field.name, wrongValues(field, endpoint)]));
        for (let n = 0; ; n++) {
          const given = [...wrong].flatMap(([name, values]) =>
            values.slice(n, n + 1).map(([row, value]) => [name, row, value] as const),
          );
          if (given.length === 0) break;
          await refused(
            given.map(([name, , value]) => [name, value]),
            given.map(([name]) => name),
            `rows ${given.map(([, row]) => row).join()}`,
          );
        }
      }
      for (const { name } of fields) {
        await refused([[name, "a\0b"]], [name], "row 24");
        await refused(
          [
            [name, "1"],
            [name, "2"],
          ],
          [name],
          "row 50, twice",
        );
      }
    });
  });
});

describe("hostile text finds nothing and changes nothing:", () => {
  const reads = withQuery.filter(([, { method }]) => method === "GET");
  test.each(reads)("%s", async (_, endpoint) => {
    await changingNothing(async () => {
      const free = listFields(endpoint.query).filter(
        (field) =>
          !/^(limit|cursor|points|days)$/.test(field.name) &&
          !isClosedList(field) &&
          !isTime(field) &&
          choices(field).length === 0,
      );
      for (const text of [
        "'; DROP TABLE devices--",
        "%_\\",
        '{"$ne":1}',
        "🤖\u202e",
        "dev_00000000-0000-0000-0000-000000000001",
      ]) {
        const response = await send(
          endpoint,
          free.map(({ name }) => [name, text]),
        );
        expect(response.status, `rows 28, 53: ${text}`).toBeLessThan(500);
        if (response.status === 200 && free.length > 0 && response.body.results)
          expect(response.body.results, text).toEqual([]);
        // A refusal names parameters that hold the text; it is never an error of the database.
        if (response.status === 400)
          expect(
            free.map(({ name }) => name),
            text,
          ).toEqual(expect.arrayContaining(Object.keys(response.body)));
      }
    });
  });

  test.each(reads.filter(([, endpoint]) => listFields(endpoint.query).some(({ name }) => name === "cursor")))(
    "row 50: %s clamps a large limit",
    async (_, endpoint) => {
      const response = await send(endpoint, [["limit", "1000000"]]);
      expect([response.status, Array.isArray(response.body.results)]).toEqual([200, true]);
    },
  );

  const periods = reads.filter(([, endpoint]) =>
    ["since", "until"].every((name) => listFields(endpoint.query).some((field) => field.name === name)),
  );
  test.each(periods)("row 46: %s finds nothing between a later and an earlier time", async (_, endpoint) => {
    const response = await send(endpoint, [
      ["since", "2030-01-01T00:00:00Z"],
      ["until", "2020-01-01T00:00:00Z"],
    ]);
    expect(response.status).toBe(200);
    if (response.body.results) expect(response.body.results).toEqual([]);
  });

  test.each(periods)("row 43: %s accepts bounds far beyond the range of nanoseconds", async (_, endpoint) => {
    const response = await send(endpoint, [
      ["since", "2300-01-01T00:00:00Z"],
      ["until", "9999-12-31T23:59:59.999999999Z"],
    ]);
    expect(response.status).toBe(200);
    if (response.body.results) expect(response.body.results).toEqual([]);
  });
});
