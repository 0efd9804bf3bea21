import { isBuiltin } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  cycles,
  files,
  graph,
  imports,
  product,
  readText,
  testImports,
  type Import,
} from "@/server/testing/architecture/source-tree";
import { waiting } from "@/vitest.config";

/** The rules of docs/architecture.md, checked on every import of every file. */

/** A layer imports itself and those before it. */
const layers = [
  "domain/",
  "engine/",
  "server/platform/",
  "server/transport/",
  "server/features/",
  "server/read-models/",
  "server/demo/",
  "server/composition/",
  "server/main.ts",
];
const getLayer = (file: string): number => layers.findIndex((layer) => file.startsWith(layer));
const isGenerated = (file: string): boolean => file.startsWith("server/platform/database/generated/");

/** An entry declares operations, procedures or jobs, each of which calls one service. */
const isEntry = (file: string): boolean =>
  /^server\/(features|read-models|demo)\/(.*\/)?((\w+-)*(rest|trpc|jobs))\.ts$/.test(file);
const inFeatures = (file: string): boolean => /^server\/(features|read-models|demo)\//.test(file);

const rules: { rule: string; broken: (entry: Import) => boolean }[] = [
  {
    rule: "imports point one way through the layers",
    broken: ({ from, to }) => getLayer(from) >= 0 && getLayer(to) > getLayer(from),
  },
  {
    rule: "domain, engine and server import no page, no component and no command",
    broken: ({ from, to }) => getLayer(from) >= 0 && /^(app|cli|components)\//.test(to),
  },
  {
    rule: "domain is pure: of packages only zod and the linear-time regular expressions",
    broken: ({ from, to }) => from.startsWith("domain/") && getLayer(to) !== 0 && !["zod", "re2js"].includes(to),
  },
  {
    rule: "domain and engine run in a browser: they import no module of Node",
    broken: ({ from, to }) => /^(domain|engine)\//.test(from) && isBuiltin(to),
  },
  {
    rule: "components import domain, engine, components and the type of the tRPC root, nothing else of this repository",
    broken: ({ from, to, typeOnly }) =>
      from.startsWith("components/") &&
      /^(app|cli|server|scripts)\//.test(to) &&
      !(typeOnly && to === "server/composition/trpc-root.ts"),
  },
  {
    rule: "components/kit imports nothing of the product",
    broken: ({ from, to }) =>
      from.startsWith("components/kit/") && /^(domain|engine|server|components\/(?!kit\/))/.test(to),
  },
  {
    rule: "services do not depend on HTTP",
    broken: ({ from, to }) =>
      inFeatures(from) &&
      !isEntry(from) &&
      (/^(hono|next)(\/|$)/.test(to) ||
        (/^server\/transport\//.test(to) && to !== "server/transport/rest/absolute-url.ts")),
  },
  {
    rule: "no part of the product reads recordings message by message, as tests and benches do",
    broken: ({ to }) => to.startsWith("engine/oracle/"),
  },
  {
    rule: "only the composition imports entries",
    broken: ({ from, to }) => isEntry(to) && !from.startsWith("server/composition/"),
  },
  {
    rule: "entries use the database through services only",
    broken: ({ from, to, typeOnly }) => isEntry(from) && !typeOnly && to === "server/platform/db.ts",
  },
  {
    rule: "nothing registers itself by being imported",
    broken: ({ from, to, bare }) => bare && getLayer(from) >= 0 && to !== "server-only",
  },
];

/** In features and transports the names of files tell which may hold SQL or use Prisma; elsewhere every file may. */
const mayHoldSql = (file: string): boolean =>
  /(^|[/-])(service|queries)\.ts$/.test(file) || !/^server\/(features|transport|demo)\//.test(file);
const holdsSql =
  /\bPrisma\.sql`|\b(?:tx|ctx\.db|tx\.db|prisma|db)\.(?:\$|\w+\.(?:find|create|update|delete|upsert|count|aggregate|groupBy))|\bpool\.query\b/;

/** Files that others look for by their names: what a feature, a registry and a thread consist of. */
const hasRole = (file: string): boolean =>
  /(^|[/-])(resource|rest|trpc|jobs|queries|registry)\.ts$|\.worker\.ts$/.test(file);
const hasTest = (file: string): boolean => {
  const name = file.replace(/\.(tsx?|mjs)$/, "");
  return [".test.ts", ".test.tsx", ".component.test.tsx"].some((ending) => files.includes(name + ending));
};
/** A list of one file for each type of something: a registry, or a file that only exports what others declare. */
const isList = (file: string): boolean =>
  /(^|[/-])(registry|senders)\.ts$/.test(file) ||
  file === "domain/storage-configs/schema.ts" ||
  !/^(import|const|function|class|let)\b/m.test(readText(file));

describe("the architecture", () => {
  test.each(rules)("$rule", ({ broken }) => {
    expect(
      imports.filter((entry) => !isGenerated(entry.to) && broken(entry)).map(({ from, to }) => `${from} → ${to}`),
    ).toEqual([]);
  });

  test("no folders import each other in a cycle, not even types", () => {
    expect(cycles(graph(path.posix.dirname))).toEqual([]);
  });

  test("no files import each other in a cycle, not even types", () => {
    expect(cycles(graph((file) => file))).toEqual([]);
  });

  test("pages import only types of what runs in the thread of a recording's page", () => {
    const loaded = new Set(product.filter((file) => file.startsWith("app/")));
    for (const file of loaded)
      for (const { from, to, typeOnly } of imports) if (from === file && !typeOnly) loaded.add(to);
    expect(loaded).toContain("components/recording/session/recording-session.ts");
    expect([...loaded].filter((file) => file.startsWith("components/recording/thread/"))).toEqual([]);
  });

  test("a test of one part reaches only that: what joins all features is loaded when it is asked for", () => {
    const tables =
      /^server\/(composition|testing\/(bad-input|documents))\/|\/(isolation|entry-table|mcp|idempotency|operations)(\.test)?\.ts$/;
    const program = /^server\/testing\/(\w+-process|spinning-worker)\.ts$/;
    const joined = testImports.filter(({ to, typeOnly }) => to.startsWith("server/composition/") && !typeOnly);
    expect(joined.map(({ from }) => from).filter((file) => !tables.test(file) && !program.test(file))).toEqual([]);
  });

  test("domain and engine run in a browser: they use no global that only Node has", () => {
    const comments = /\/\*[^]*?\*\/|(?<!:)\/\/.*/g;
    const nodeOnly = /(?<![.\w])(Buffer\b|process\??[.[]|require\(|__(dir|file)name\b)/;
    const pure = product.filter((file) => /^(domain|engine)\//.test(file));
    expect(pure.filter((file) => nodeOnly.test(readText(file).replace(comments, "")))).toEqual([]);
  });

  test("only services, read models, query files and the platform hold SQL", () => {
    expect(product.filter((file) => !mayHoldSql(file) && holdsSql.test(readText(file)))).toEqual([]);
  });

  test("rows of statements are declared and compared with PostgreSQL's description, not asserted", () => {
    const others = files.filter((file) => !file.startsWith("server/platform/"));
    const asserts = (text: string) => /(?<!\w)(sql|query)</.test(text) || text.includes("$query" + "Raw");
    expect(others.filter((file) => asserts(readText(file)))).toEqual([]);
    // The rows that the driver itself returns are untyped.
    const untyped = /\brows\b[^;=]*= await [\w.]+\.query\(|\.query\([^;]*\)\)\.rows\b/;
    expect(product.filter((file) => others.includes(file) && untyped.test(readText(file)))).toEqual([]);
  });

  test("rows are locked inside a transaction, not on a connection of their own that gives the lock back at once", () => {
    // Where a whole statement ends with its lock; one that changes what it locks inside itself needs no transaction.
    const lock = /\bfor (no key update|update|key share|share)( of \w+)?( skip locked| nowait)?\s*`/.source;
    const ownConnection = new RegExp(`(?<![\\w.])sql\\([^;]*?${lock}`);
    expect(product.filter((file) => file.startsWith("server/") && ownConnection.test(readText(file)))).toEqual([]);
  });

  test("one file knows the private tables of the job queue", () => {
    const named = files.filter((file) => readText(file).includes("_private" + "_"));
    expect(named).toEqual(["server/platform/jobs/graphile.ts"]);
  });

  test("the server decides and records by the database's time, not the machine's", () => {
    const machineTime = /new Date\(\)|Date\.now\b/;
    const named = product.filter((file) => file.startsWith("server/") && machineTime.test(readText(file)));
    // The clock itself; migrations run before it is measured; the lock compares with times of files; a line of the log.
    const allowed = ["clock.ts", "process/file-lock.mjs", "process/watchdog-thread.mjs"];
    expect(named).toEqual(allowed.map((file) => `server/platform/${file}`));
  });

  test("no file or folder has a vague name", () => {
    const vague = /(^|\/)(utils?|helpers?|lib|libs|common|misc|shared|index)(\.[a-z]+|\/|$)/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  test("no folder holds more than 40 files of the product; the primitives of kit are one flat list", () => {
    const counts = new Map<string, number>();
    for (const folder of product.map((file) => path.posix.dirname(file)))
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    expect([...counts].filter(([folder, count]) => folder !== "components/kit" && count > 40)).toEqual([]);
  });

  test("a file of at most 20 lines has more users than a neighbour: else its lines stand there", () => {
    const users = new Map<string, Import[]>();
    for (const entry of imports) users.set(entry.to, [...(users.get(entry.to) ?? []), entry]);
    const isPart = (file: string): boolean => {
      const [user, ...others] = users.get(file) ?? [];
      const isNeighbour = user !== undefined && path.posix.dirname(user.from) === path.posix.dirname(file);
      return isNeighbour && others.every(({ from }) => from === user.from) && !user.lazy && !isList(user.from);
    };
    const hasReason = (file: string) => hasRole(file) || hasTest(file) || readText(file).startsWith("// Written by ");
    const short = product.filter((file) => readText(file).trimEnd().split("\n").length <= 20);
    expect(short.filter((file) => isPart(file) && !hasReason(file))).toEqual([]);
  });

  test("no file has more lines than its limit", () => {
    const maxLines = (file: string) => (/\.(test|spec)\.tsx?$/.test(file) ? 450 : 345);
    expect(files.filter((file) => readText(file).split("\n").length > maxLines(file))).toEqual([]);
  });

  test("each test that is listed as one that waits exists", () => {
    expect(waiting.filter((file) => !files.includes(file))).toEqual([]);
  });
});
