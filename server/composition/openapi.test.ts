import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Spectral, type RulesetDefinition } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { describe, expect, test } from "vitest";
import { platformEventTypes } from "@/domain/platform-events/schema";
import { describeApi } from "@/server/composition/openapi";

/** Guarantees of the API's description, for people and programs that generate clients from it. */

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}
interface Parameter {
  $ref?: string;
  name: string;
  description?: string;
}
interface Operation {
  operationId: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
}

const text = JSON.stringify(describeApi("https://muster.example.com"));
const document = JSON.parse(text) as {
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};
const { schemas, parameters } = document.components;
const resolve = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** Spectral resolves every reference, which takes ten seconds of a free core. */
const lintTimeoutMs = 120_000;

describe("the OpenAPI document", () => {
  test("publishes the shape of every resource's identifier", () => {
    const uids = Object.entries(schemas).flatMap(([name, { properties }]) =>
      properties?.uid ? [{ name, uid: resolve(properties.uid) }] : [],
    );
    expect(uids.length).toBeGreaterThan(40);
    expect(uids.filter(({ uid }) => uid.format !== "uuid" && uid.pattern === undefined)).toEqual([]);
    expect(schemas.Device?.properties?.uid).toMatchObject({ pattern: expect.stringMatching(/^\^dev_/) });
    expect(schemas.Dataset?.properties?.uid).toMatchObject({ format: "uuid" });
  });

  test(
    "has no finding of redocly's recommended rules",
    async () => {
      const config = await createConfig({
        extends: ["recommended"],
        rules: {
          // The server is the address of the installation, in this test an example.
          "no-server-example.com": "off",
          // All paths end with a slash by contract; without it they work, too.
          "no-path-trailing-slash": "off",
          // Literal segments have precedence over parameters, as OpenAPI requires; uids never equal one.
          "no-ambiguous-paths": "off",
        },
      });
      const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
      expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`)).toEqual(
        [],
      );
    },
    lintTimeoutMs,
  );

  test(
    "has no finding of spectral's recommended rules",
    async () => {
      const spectral = new Spectral();
      spectral.setRuleset({
        extends: [[oas as RulesetDefinition, "recommended"]],
        // All paths end with a slash by contract; without it they work, too.
        rules: { "path-keys-no-trailing-slash": "off" },
      });
      const findings = await spectral.run(text);
      expect(findings.map(({ code, message, path }) => `${code} ${message} ${path.join("/")}`)).toEqual([]);
    },
    lintTimeoutMs,
  );

  test("has less than 1,950 bytes an operation", () => {
    expect(Buffer.byteLength(text) / operations.length).toBeLessThan(1_950);
  });

  test("describes every area and every parameter", () => {
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
    const all = [...operations.flatMap(({ parameters = [] }) => parameters), ...Object.values(parameters)];
    expect(all.filter(({ $ref, description }) => !$ref && !description)).toEqual([]);
  });

  test("describes every member of a body", () => {
    const bodies = operations.flatMap(({ requestBody }) =>
      requestBody ? [resolve(requestBody.content["application/json"]!.schema)] : [],
    );
    const undescribed = bodies.flatMap((body) =>
      Object.entries(body.properties ?? {}).filter(([, member]) => !member.description),
    );
    expect(undescribed).toEqual([]);
  });

  test("names the schema of every body and of every object in a response", () => {
    const isNamed = (schema: Schema): boolean => {
      const { type, items } = schema;
      return schema.$ref !== undefined || (type === "array" && isNamed(items as Schema));
    };
    for (const { operationId, requestBody, responses } of operations) {
      for (const described of [requestBody, ...Object.values(responses)]) {
        const content = described?.content?.["application/json"];
        if (content) expect(isNamed(content.schema), operationId).toBe(true);
      }
    }
    expect(Object.keys(schemas).filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).toEqual([]);
  });

  test("has no schema that generators call as they call the parameters or the body of an operation", () => {
    // Orval names what is described in place: the members of a schema after both, the parts of an operation after its id.
    const pascal = (...words: string[]) =>
      words
        .map((word) => word.replaceAll(/(?:^|[^A-Za-z0-9]+)(\w?)/g, (_, letter: string) => letter.toUpperCase()))
        .join("");
    const ofSchemas = Object.entries(schemas).flatMap(([name, { properties }]) => [
      name,
      ...Object.keys(properties ?? {}).map((member) => pascal(name, member)),
    ]);
    const ofOperations = operations.flatMap(({ operationId }) =>
      ["Params", "Body", "Headers"].map((part) => pascal(operationId, part)),
    );
    expect(ofOperations).toContain("McpMessageParams");
    expect(ofSchemas).toContain("JsonRpcMessageParams");
    expect(ofOperations.filter((name) => ofSchemas.includes(name))).toEqual([]);
  });

  test("declares every body as required, the path of name validation without a slash, and lists as comma-separated", () => {
    expect(operations.filter(({ requestBody }) => requestBody && !requestBody.required)).toEqual([]);
    expect(document.paths).toHaveProperty(["/api/v1/slice/validate/name"]);
    const status = document.paths["/api/v1/fleet/alerts/"]?.get?.parameters?.find(({ name }) => name === "status");
    expect(status).toMatchObject({
      style: "form",
      explode: false,
      schema: { type: "array", items: { enum: ["open", "acknowledged", "resolved"] } },
    });
    expect(parameters["query.limit"]).toMatchObject({
      schema: { type: "integer", minimum: 1, maximum: expect.any(Number), default: expect.any(Number) },
    });
  });

  test("names the schema of each type of condition, channel and action", () => {
    expect(schemas.Condition).toMatchObject({
      discriminator: {
        propertyName: "type",
        mapping: { composite: "#/components/schemas/CompositeCondition", rate: "#/components/schemas/RateCondition" },
      },
    });
    expect(schemas.CompositeCondition?.properties?.conditions).toMatchObject({
      items: { $ref: "#/components/schemas/Condition" },
    });
    expect(schemas.CreateRule?.properties?.condition).toMatchObject({ $ref: "#/components/schemas/Condition" });
    expect(schemas.Rule?.properties?.condition).toMatchObject({ $ref: "#/components/schemas/Condition" });
    expect(schemas.Action).toMatchObject({ discriminator: { propertyName: "type" } });
    expect(JSON.stringify(schemas.CreateChannel)).toContain("#/components/schemas/PagerdutyConfig");
  });

  test("has every event and callback as a webhook", () => {
    expect(Object.keys(document.webhooks)).toEqual([
      ...platformEventTypes.toSorted(
        (a, b) => Object.keys(document.webhooks).indexOf(a) - Object.keys(document.webhooks).indexOf(b),
      ),
      "test.ping",
      "agent.event",
      "channel.alert",
    ]);
  });
});
