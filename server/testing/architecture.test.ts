import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

/** The rules of the house, checked on every import of every file. CONTRIBUTING.md explains them. */

const root = path.resolve(import.meta.dirname, "../..");
const areas = ["app", "components", "server", "e2e", "bench", "faults", "prisma", "scripts"];

function* sources(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const at = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!["generated", "node_modules"].includes(entry.name)) yield* sources(at);
    } else if (/\.(ts|tsx|mjs)$/.test(entry.name)) yield at;
  }
}

interface Import {
  from: string;
  /** A path in the repository without its ending, or a package's name. */
  to: string;
  typeOnly: boolean;
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g;

function importsOf(file: string): Import[] {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(importPattern)].map(([, type, fixed, dynamic]) => {
    const name = fixed ?? dynamic ?? "";
    const to = name.startsWith("@/")
      ? name.slice(2)
      : name.startsWith(".")
        ? path.posix.join(path.posix.dirname(file), name)
        : name;
    return { from: file, to: to.replace(/\.(ts|tsx|mjs)$/, ""), typeOnly: type !== undefined };
  });
}

const files = areas.filter((area) => fs.existsSync(path.join(root, area))).flatMap((area) => [...sources(area)]);
const product = files.filter((file) => !/\.(test|spec)\.tsx?$/.test(file) && !file.startsWith("server/testing/"));
const imports = product.flatMap(importsOf);

/** A domain's services may call those of domains before it, and the platform's own files; never one after it. */
const domains = [
  "audit",
  "platform-events",
  "mail",
  "api-keys",
  "organizations",
  "views",
  "devices",
  "storage-configs",
  "uploads",
  "recordings",
  "events",
  "channels",
  "silences",
  "alerts",
  "webhooks",
  "datasets",
  "slices",
  "projects",
  "tasks",
  "agents",
  "models",
  "rules",
  "processing",
  "overview",
  "demo",
  "exports",
  "mcp",
];
const domainOf = (file: string): string | undefined => {
  const [area, name] = file.split("/");
  return area === "server" && name !== undefined && domains.includes(name) ? name : undefined;
};
const isDoor = (file: string): boolean =>
  /\/((\w+-)?(rest|trpc|jobs)|door)(\.ts)?$/.test(file) && domainOf(file) !== undefined;

const rules: { rule: string; broken: (entry: Import) => boolean }[] = [
  {
    rule: "components import components, domain schemas and terms, and types of the tRPC router, nothing else of the server",
    broken: ({ from, to, typeOnly }) =>
      from.startsWith("components/") &&
      to.startsWith("server/") &&
      !/^server\/[\w-]+\/(schema|terms)$/.test(to) &&
      !["domain/fields", "domain/permissions"].includes(to) &&
      !(typeOnly && to === "server/composition/trpc-root") &&
      from !== "app/prefetch.tsx",
  },
  {
    rule: "components/kit is free of the domain",
    broken: ({ from, to }) =>
      from.startsWith("components/kit/") && (to.startsWith("server/") || /^components\/(?!ui\/)/.test(to)),
  },
  {
    rule: "the server imports no page and no component",
    broken: ({ from, to }) => from.startsWith("server/") && /^(app|components)\//.test(to),
  },
  {
    rule: "doors never import each other",
    broken: ({ from, to }) => isDoor(from) && isDoor(`${to}.ts`),
  },
  {
    rule: "only the registries import doors",
    broken: ({ from, to }) => domainOf(from) !== undefined && isDoor(`${to}.ts`) && !isDoor(from),
  },
  {
    rule: "services know no HTTP",
    broken: ({ from, to }) =>
      domainOf(from) !== undefined && !isDoor(from) && /^(hono|next|server\/(rest|trpc))(\/|$)/.test(to),
  },
  {
    rule: "doors reach the database through services only",
    broken: ({ from, to, typeOnly }) => isDoor(from) && !typeOnly && to === "server/platform/db",
  },
  {
    rule: "a domain calls only domains named before it",
    broken: ({ from, to, typeOnly }) => {
      const [source, target] = [domainOf(from), domainOf(`${to}/`)];
      if (!source || !target || typeOnly || /\/(schema|resource|terms)$/.test(to)) return false;
      // What every new organization is given is made in the transaction that founds it.
      if (to === "server/features/organizations/builtin-rules-service") return false;
      return domains.indexOf(target) > domains.indexOf(source);
    },
  },
  {
    rule: "the platform's own files import no domain's service",
    broken: ({ from, to }) =>
      /^server\/[\w-]+\.ts$/.test(from) &&
      domainOf(`${to}/`) !== undefined &&
      !["server/platform/password"].includes(to) &&
      !/\/schema$/.test(to) &&
      from !== "server/main.ts",
  },
];

describe("the architecture", () => {
  test.each(rules)("$rule", ({ broken }) => {
    expect(imports.filter(broken).map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test("a schema reaches nothing that needs the server, so forms can use it", () => {
    const byFile = new Map<string, Import[]>();
    for (const entry of imports) byFile.set(entry.from, [...(byFile.get(entry.from) ?? []), entry]);
    const forbidden = /^(node:|pg$|@prisma|pino|server\/(db|env|log|crypto|context|database))/;
    const bad: string[] = [];
    for (const schema of product.filter((file) => /^server\/[\w-]+\/schema\.ts$/.test(file))) {
      const seen = new Set<string>();
      const queue = [schema];
      for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
        for (const { to, typeOnly } of byFile.get(file) ?? []) {
          if (typeOnly || seen.has(to)) continue;
          seen.add(to);
          if (forbidden.test(to)) bad.push(`${schema} reaches ${to} through ${file}`);
          queue.push(`${to}.ts`);
        }
      }
    }
    expect(bad).toEqual([]);
  });

  test("no file or folder is named for what it is not", () => {
    const vague = /(^|\/)(utils?|helpers?|lib|libs|common|misc|shared|index)(\.[a-z]+|\/|$)/;
    expect(files.filter((file) => vague.test(file))).toEqual([]);
  });

  test("a file can be read at a sitting", () => {
    const long = files
      .map((file) => [file, fs.readFileSync(path.join(root, file), "utf8").split("\n").length] as const)
      .filter(([, lines]) => lines > 420);
    expect(long).toEqual([]);
  });
});
