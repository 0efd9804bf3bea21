import { describe, expect, test } from "vitest";
import { findNamed, isTest, measureDistances, readEdges } from "@/scripts/check/reach";

const listNamed = (from: string, text: string, known: readonly string[]) => [
  ...findNamed(from, text, (file) => known.includes(file)),
];

describe("a text names", () => {
  test("the thread beside it, under the ending that it has in the sources", () => {
    const text = `new Worker(new URL("./a-thread.mjs", import.meta.url)); new URL("./b.worker.ts", import.meta.url)`;
    const known = ["server/x/a-thread.ts", "server/x/b.worker.ts", "server/x/c.ts"];
    expect(listNamed("server/x/a.ts", text, known)).toEqual(["server/x/a-thread.ts", "server/x/b.worker.ts"]);
  });

  test("if it is a test's: files by their paths, and programs by their names", () => {
    const text = `bundleProgram("slow-process"); bundlePrograms(["cli/main.ts"], folder); "unknown.ts"`;
    const known = ["server/testing/slow-process.ts", "cli/main.ts"];
    expect(listNamed("server/x/a.test.ts", text, known)).toEqual(known);
    expect(listNamed("server/x/a.ts", text, known)).toEqual([]);
  });

  test("if it is a test of documents: guides by their names", () => {
    expect(listNamed("server/testing/documents/a.test.ts", `["events"]`, ["docs/events.md"])).toEqual([
      "docs/events.md",
    ]);
    expect(listNamed("server/features/a/a.test.ts", `["events"]`, ["docs/events.md"])).toEqual([]);
  });
});

describe("a change reaches", () => {
  const edges = [
    { from: "b.ts", to: "a.ts" },
    { from: "c.test.ts", to: "b.ts" },
    { from: "c.test.ts", to: "c.ts" },
    { from: "a.ts", to: "b.ts" },
  ];

  test("what imports it, at any distance, even in a cycle", () => {
    expect([...measureDistances(edges, ["a.ts"])]).toEqual([
      ["a.ts", 0],
      ["b.ts", 1],
      ["c.test.ts", 2],
    ]);
    expect([...measureDistances(edges, ["a.ts", "c.ts"])].find(([file]) => file === "c.test.ts")).toEqual([
      "c.test.ts",
      1,
    ]);
  });

  test("a test that starts the program it is in as a farther one than a test that imports it", () => {
    const started = { from: "d.test.ts", to: "b.ts", starts: true };
    expect(measureDistances([...edges, started], ["a.ts"]).get("d.test.ts")).toBe(6);
    expect(measureDistances([started, ...edges, { from: "d.test.ts", to: "a.ts" }], ["a.ts"]).get("d.test.ts")).toBe(1);
  });

  test("nothing behind a file that is not passed", () => {
    expect([...measureDistances(edges, ["a.ts"], (file) => file !== "b.ts").keys()]).toEqual(["a.ts"]);
  });
});

describe("in this repository", () => {
  const reach = (file: string) => [...measureDistances(readEdges([]), [file]).keys()].filter(isTest);

  test("a service reaches the tests that call it, and an operation the tables", () => {
    expect(reach("server/features/alerts/raise-service.ts")).toContain("server/features/alerts/alerts.test.ts");
    expect(reach("server/features/silences/rest.ts")).toContain("server/composition/contract.test.ts");
  });

  test("the command line reaches the tests that bundle it, and a thread the tests of what starts it", () => {
    expect(reach("cli/main.ts")).toContain("cli/users.test.ts");
    expect(reach("server/platform/process/watchdog-thread.mjs")).toContain("server/platform/process/watchdog.test.ts");
  });

  test("a guide reaches the test that runs its commands", () => {
    expect(reach("docs/events.md")).toContain("server/testing/documents/guides-run.test.ts");
  });

  test("an operation reaches few tests: no other one loads what joins all features", () => {
    const edges = readEdges([]);
    const count = (file: string) => [...measureDistances(edges, [file]).keys()].filter(isTest).length;
    expect(count("server/features/silences/rest.ts")).toBeLessThan(60);
    expect(count("server/read-models/fleet/rest.ts")).toBeLessThan(60);
  });

  test("a file that is gone reaches what still imports it", () => {
    const gone = "server/features/silences/was-here.ts";
    expect(readEdges([gone]).some(({ to }) => to === gone)).toBe(false);
    // As if the file were not there: its importers name it by their path.
    const edges = readEdges(["domain/severity.tsx"]);
    expect(edges.filter(({ to }) => to === "domain/severity.tsx").length).toBeGreaterThan(0);
  });
});
