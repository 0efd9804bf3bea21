import { describe, expect, test } from "vitest";
import { planCheck } from "@/scripts/check/plan";
import type { Edge } from "@/scripts/check/reach";

const edges: Edge[] = [
  { from: "domain/events/schema.ts", to: "domain/fields.ts" },
  { from: "server/features/events/rest.ts", to: "domain/events/schema.ts" },
  { from: "server/features/events/service.ts", to: "domain/events/schema.ts" },
  { from: "server/features/events/rest.ts", to: "server/features/events/service.ts" },
  { from: "server/features/alerts/raise-service.ts", to: "server/features/events/service.ts" },
  { from: "server/features/alerts/rest.ts", to: "server/features/alerts/raise-service.ts" },
  { from: "server/features/alerts/alerts.test.ts", to: "server/features/alerts/raise-service.ts" },
  { from: "server/features/processing/service.ts", to: "engine/decode/decode.ts" },
  { from: "components/events/texts.test.ts", to: "domain/events/schema.ts" },
  { from: "engine/decode/decode.test.ts", to: "engine/decode/decode.ts" },
  { from: "components/recording/thread/recording.worker.ts", to: "engine/decode/decode.ts" },
  { from: "cli/upload.test.ts", to: "server/features/events/service.ts" },
  ...Array.from({ length: 30 }, (_, n) => ({
    from: `server/features/processing/far-${String(n).padStart(2, "0")}.test.ts`,
    to: "server/features/processing/service.ts",
  })),
];
const architecture = "server/testing/architecture/architecture.test.ts";
const documents = "server/testing/documents/documents.test.ts";
const files = [
  ...new Set(edges.flatMap(({ from, to }) => [from, to])),
  "server/features/events/events.test.ts",
  "server/testing/documents/guides-run.test.ts",
  architecture,
  documents,
];
const plan = (present: string[], gone: string[] = [], runAll = false) =>
  planCheck({ present, gone }, { files: [...new Set([...files, ...present])], edges }, runAll);

const contract = "server/composition/contract.test.ts";
const isolation = "server/testing/isolation.test.ts";

describe("a change of", () => {
  test("an operation runs its feature's tests and the tables for the operations of that feature", () => {
    const { tests, parts, types, lint, format, left } = plan(["server/features/events/rest.ts"]);
    const own = "server/features/events/events.test.ts";
    expect(tests).toEqual(expect.arrayContaining([own, contract, isolation, architecture, documents]));
    expect(parts).toEqual(["server/features/events"]);
    expect([types, lint, format]).toEqual([
      true,
      ["server/features/events/rest.ts"],
      ["server/features/events/rest.ts"],
    ]);
    expect(left).toBe(0);
  });

  test("an operation that is new is not a change of all operations, although it has lines in the lists of all", () => {
    const lists = ["server/composition/rest-registry.ts", "server/testing/roles/role-table.ts"];
    expect(plan(["server/features/events/rest.ts", ...lists]).parts).toEqual(["server/features/events"]);
    expect(plan(lists)).toMatchObject({ parts: undefined, tests: expect.arrayContaining([contract, isolation]) });
  });

  test("what all operations pass through runs the tables for all, whatever else has changed", () => {
    const { tests, parts } = plan(["server/transport/rest/body.ts", "server/features/events/rest.ts"]);
    expect([parts, tests.includes(isolation)]).toEqual([undefined, true]);
  });

  test("a schema runs the tables for the operations declared with it, not for those that only lead to it", () => {
    const { tests, parts } = plan(["domain/fields.ts"]);
    expect(parts).toEqual(["server/features/events"]);
    expect(tests).toEqual(expect.arrayContaining([contract, "components/events/texts.test.ts"]));
  });

  test("a component or a decoder runs no table", () => {
    expect(plan(["components/events/list.tsx"]).tests).toEqual([architecture, documents]);
    const { tests, parts } = plan(["engine/decode/decode.ts"]);
    expect([parts, tests.includes(contract), tests.includes("engine/decode/decode.test.ts")]).toEqual([
      undefined,
      false,
      true,
    ]);
  });

  test("what a thread of a page contains builds the threads and tests their sizes", () => {
    expect(plan(["engine/decode/decode.ts"])).toMatchObject({
      threads: true,
      tests: expect.arrayContaining(["components/recording/thread/thread-scripts.test.ts"]),
    });
    expect(plan(["domain/events/schema.ts"]).threads).toBe(false);
  });

  test("a document runs the tests of documents, without types and lint", () => {
    expect(plan(["docs/events.md"])).toMatchObject({
      tests: [architecture, documents],
      types: false,
      lint: [],
      format: [],
    });
  });

  test("a test runs it", () => {
    expect(plan(["server/features/processing/far-29.test.ts"]).tests).toContain(
      "server/features/processing/far-29.test.ts",
    );
  });

  test.each(["package.json", "vitest.config.ts", "prisma/schema/events.prisma", "server/testing/setup.ts"])(
    "%s runs all that computes and all tables, and says that this is not everything",
    (file) => {
      const { tests, parts, lint, types, notes } = plan([file]);
      expect(tests).toEqual(expect.arrayContaining(["engine/decode/decode.test.ts", contract, isolation]));
      expect([parts, lint, types]).toEqual([undefined, ["."], true]);
      expect(notes.join()).toContain(`${file}: this reaches everything, run npm test too`);
    },
  );
});

test("of a deleted file its dependents are tested, and the file itself is in no command", () => {
  const { tests, lint, format, types } = plan([], ["engine/decode/decode.ts", "engine/decode/old.test.ts"]);
  expect(tests).toContain("engine/decode/decode.test.ts");
  expect([tests.includes("engine/decode/old.test.ts"), lint, format, types]).toEqual([false, [], [], true]);
});

test("of the tests with a database the nearest run; how many others there are is known, and all run on request", () => {
  const { tests, left } = plan(["engine/decode/decode.ts"]);
  const far = (list: string[]) => list.filter((test) => test.includes("/far-"));
  expect([far(tests).length, left]).toEqual([12, 18]);
  const all = plan(["engine/decode/decode.ts"], [], true);
  expect([far(all.tests).length, all.left]).toEqual([30, 0]);
});

test("what vitest does not run is named with its command", () => {
  expect(plan(["e2e/rules.spec.ts", "deploy/nginx.conf"]).notes).toEqual([
    "npx playwright test -c e2e <changed specs> (not run here)",
    "npm run test:deploy (not run here)",
  ]);
});
