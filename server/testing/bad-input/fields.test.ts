import { beforeAll, describe, expect, test } from "vitest";
import { atMost, notAChoice } from "@/domain/field-messages";
import { credentialFor, buildPath, sharedFixture, withBody, type Fixture } from "@/server/testing/bad-input/fixture";
import {
  listFields,
  isNullable,
  isTyped,
  ofType,
  listTypes,
  uidPrefix,
  validBody,
  listVariants,
  type Field,
} from "@/server/testing/bad-input/samples";
import { changingNothing } from "@/server/testing/bad-input/unchanged";
import { request } from "@/server/testing/requests";
import type { Endpoint } from "@/server/transport/rest/endpoint";

/**
 * Rows 19–25, 29, 30, 34, 40–43 and 48 on every field of every body, derived from its published schema. One request
 * has a kind of mistake in every field that can have it, and the response must name exactly those fields.
 */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await sharedFixture();
});

interface Mistake {
  row: number;
  /** The wrong value for a field, or undefined where this mistake cannot be made. */
  value: (field: Field) => unknown;
  /** The expected message; without it, any. */
  message?: (field: Field) => string;
}

/** A placeholder for a value that JSON.stringify cannot write. */
const infinite = "@infinite@";
const uuid = "00000000-0000-7000-8000-00000000000a";

const text = ({ schema }: Field) => ofType(schema, "string");
const plainText = (field: Field) => {
  const schema = text(field);
  return schema && !schema.enum && !schema.format && !schema.pattern && schema.const === undefined ? schema : undefined;
};
const choices = ({ schema }: Field) => listVariants(schema).flatMap((variant) => variant.enum ?? []);
const number = ({ schema }: Field) => ofType(schema, "number") ?? ofType(schema, "integer");
/** The identifiers a field holds: its own pattern, or that of the items of its list. */
const identifiers = ({ schema }: Field) => uidPrefix(schema) ?? uidPrefix(ofType(schema, "array")?.items ?? {});
const holdingIdentifier = (field: Field, value: string) => {
  if (identifiers(field) === null) return undefined;
  return ofType(field.schema, "array") ? [value] : value;
};
const uidMessage = ({ schema }: Field) =>
  ofType(schema, "array") ? "0: Must be a valid UUID." : "Must be a valid UUID.";

const wrongTypes: Record<string, unknown[]> = {
  string: [42, true, ["x"], { a: 1 }],
  number: ["7", true, [1], { a: 1 }],
  integer: ["7", true, [1], { a: 1 }],
  boolean: ["true", 1, [true], { a: 1 }],
  array: ["x", 42, true, { a: 1 }],
  object: ["x", 42, true, [1]],
};

const impossibleTimes = [
  ...["2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z"],
  ...["0", "1", "-1", "Jan 1 2024", "infinity", "now", "2024-W01-1", "2024-001", "1700000000"],
  ...["2024-01-01T23:59:60Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00+99:99"],
  ...["0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-000001-01-01T00:00:00Z", "+275760-09-13T00:00:00Z"],
];

const mistakes: Mistake[] = [
  {
    row: 19,
    // JSON-RPC has its own error for an id of null (row 95).
    value: ({ name, schema }) => (isTyped(schema) && !isNullable(schema) && name !== "id" ? null : undefined),
    message: () => "This field may not be null.",
  },
  ...[0, 1, 2, 3].map((which) => ({
    row: 20,
    value: ({ schema }: Field) => {
      const wrong = wrongTypes[listTypes(schema)[0] ?? ""]?.[which];
      // a field of two types accepts values that are wrong for one of them
      return listTypes(schema).includes(typeof wrong) ? undefined : wrong;
    },
  })),
  ...["", "   ", "\t\n"].map((blank) => ({
    row: 21,
    // A blank method is an unknown method of JSON-RPC, which has its own error.
    value: (field: Field) => (plainText(field)?.minLength === 1 && field.name !== "method" ? blank : undefined),
    message: () => "This field may not be blank.",
  })),
  {
    row: 22,
    value: (field) => {
      const max = plainText(field)?.maxLength;
      return max === undefined ? undefined : "x".repeat(max + 1);
    },
    message: (field) => atMost(plainText(field)?.maxLength ?? 0),
  },
  {
    row: 22,
    value: ({ schema }) => {
      const max = ofType(schema, "array")?.items?.maxLength;
      return max === undefined ? undefined : ["x".repeat(max + 1)];
    },
    message: ({ schema }) => `0: ${atMost(ofType(schema, "array")?.items?.maxLength ?? 0)}`,
  },
  {
    row: 39,
    value: ({ schema }) => {
      const list = ofType(schema, "array");
      return list?.maxItems === undefined
        ? undefined
        : Array.from({ length: Math.max(10_000, list.maxItems + 1) }, (_, n) => `t${n}`);
    },
  },
  {
    row: 74,
    value: ({ schema }) => (ofType(schema, "array")?.minItems === 1 ? [] : undefined),
    message: () => "This list may not be empty.",
  },
  { row: 24, value: (field) => (text(field) ? "a\0b" : undefined), message: () => "Null characters are not allowed." },
  {
    row: 24,
    value: ({ schema }) => (ofType(schema, "array") ? ["a\0b"] : undefined),
    message: () => "Null characters are not allowed.",
  },
  {
    row: 24,
    value: ({ schema }) => (ofType(schema, "object") ? { "a\0": 1 } : undefined),
    message: () => "Null characters are not allowed.",
  },
  {
    row: 25,
    value: (field) => (text(field) ? "a\ud800b" : undefined),
    message: () => "Invalid Unicode is not allowed.",
  },
  { row: 29, value: (field) => holdingIdentifier(field, "not-a-uuid"), message: uidMessage },
  {
    row: 30,
    value: (field) => holdingIdentifier(field, `${identifiers(field) === "evt_" ? "dev_" : "evt_"}${uuid}`),
    message: uidMessage,
  },
  { row: 31, value: (field) => holdingIdentifier(field, `{${identifiers(field) ?? ""}${uuid}}`), message: uidMessage },
  {
    row: 31,
    value: (field) => holdingIdentifier(field, `${identifiers(field) ?? ""}${uuid}`.toUpperCase()),
    message: uidMessage,
  },
  ...[
    (choice: string) => `${choice}s`,
    (choice: string) => choice.toUpperCase().replace(choice, `${choice}!`),
    () => "",
  ].map((spoil) => ({
    row: 34,
    value: (field: Field) => (choices(field).length > 0 ? spoil(String(choices(field)[0])) : undefined),
    message: (field: Field) => notAChoice(spoil(String(choices(field)[0])), choices(field).map(String)),
  })),
  ...impossibleTimes.map((time) => ({
    row: 41,
    value: (field: Field) => (text(field)?.format === "date-time" ? time : undefined),
    message: () =>
      "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
  })),
  {
    row: 48,
    value: (field) => {
      const minimum = number(field)?.minimum;
      return minimum === undefined || minimum < -1e9 ? undefined : minimum - 1;
    },
  },
  {
    row: 48,
    value: (field) => {
      const maximum = number(field)?.maximum;
      return maximum === undefined ? undefined : 2 ** 63;
    },
  },
  { row: 48, value: (field) => (number(field) && !text(field) ? "NaN" : undefined) },
  {
    row: 48,
    value: (field) => (number(field) ? infinite : undefined),
    message: () => "Out of range float values are not JSON compliant.",
  },
];

const send = (endpoint: Endpoint, body: unknown) =>
  request<Record<string, string[]>>(endpoint.method, buildPath(endpoint, fixture.ids), {
    ...credentialFor(fixture, endpoint),
    raw: JSON.stringify(body).replaceAll(`"${infinite}"`, "1e400"),
  });

const withFields = withBody.filter(([, endpoint]) => listFields(endpoint.body).length > 0);

describe("a mistake in every field of", () => {
  test.each(withFields)("%s", async (_, endpoint) => {
    const fields = listFields(endpoint.body);
    const valid = validBody(endpoint, fixture) as object;
    await changingNothing(async () => {
      for (const { row, value, message } of mistakes) {
        const wrong = fields.filter((field) => value(field) !== undefined);
        if (wrong.length === 0) continue;
        const body = { ...valid, ...Object.fromEntries(wrong.map((field) => [field.name, value(field)])) };
        const response = await send(endpoint, body);
        const expected = wrong.map((field) => [
          field.name,
          expect.arrayContaining([message?.(field) ?? expect.any(String)]),
        ]);
        expect([response.status, response.body], `row ${row}: ${JSON.stringify(body).slice(0, 300)}`).toEqual([
          400,
          Object.fromEntries(expected),
        ]);
      }
    });
  });
});
