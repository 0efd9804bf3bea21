import fs from "node:fs";
import path from "node:path";

/** The files and imports of the repository, on which the architecture rules are checked. */

export const root = path.resolve(import.meta.dirname, "../../..");
const areas = ["app", "bench", "cli", "components", "domain", "e2e", "engine", "faults", "prisma", "scripts", "server"];

function* sources(folder: string): Generator<string> {
  for (const entry of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
    const at = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!["generated", "node_modules"].includes(entry.name)) yield* sources(at);
    } else if (/\.(ts|tsx|mjs)$/.test(entry.name)) yield at;
  }
}

export const readText = (file: string): string => fs.readFileSync(path.join(root, file), "utf8");

/** Every source file of the repository. */
export const files = areas.flatMap((area) => [...sources(area)]);
const known = new Set(files);

const isTest = (file: string): boolean =>
  /\.(test|spec)\.tsx?$/.test(file) || /(^|\/)testing\//.test(file) || file.startsWith("engine/oracle/");

/** The files of the product: neither tests nor files that only tests use. */
export const product = files.filter((file) => !isTest(file) && !/^(e2e|bench|faults)\//.test(file));

export interface Import {
  from: string;
  /** A file of the repository, or a package's name. */
  to: string;
  /** Erased by the compiler. */
  typeOnly: boolean;
  /** `import "…"`, only for its side effects. */
  bare: boolean;
  /** `import("…")`, loaded when it is needed. */
  lazy: boolean;
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?([^"';]*?\sfrom\s+)?"([^"]+)"|import\(\s*"([^"]+)"\s*\)/g;

/** Whether every name in braces is marked as a type. */
function namesTypesOnly(clause: string): boolean {
  const names = /^\{([^}]*)\}\s+from\s+$/.exec(clause.trim() + " ")?.[1];
  return names !== undefined && names.split(",").every((name) => /^\s*(type\s|$)/.test(name));
}

function resolveImport(from: string, name: string): string {
  const target = name.startsWith("@/")
    ? name.slice(2)
    : name.startsWith(".")
      ? path.posix.join(path.posix.dirname(from), name)
      : null;
  if (target === null) return name;
  return ["", ".ts", ".tsx", ".mjs"].map((ending) => target + ending).find((file) => known.has(file)) ?? target;
}

function listImports(from: string): Import[] {
  return [...readText(from).matchAll(importPattern)].map(([, type, clause, fixed, dynamic]) => ({
    from,
    to: resolveImport(from, fixed ?? dynamic ?? ""),
    typeOnly: type !== undefined || (clause !== undefined && namesTypesOnly(clause)),
    bare: fixed !== undefined && clause === undefined && type === undefined,
    lazy: dynamic !== undefined,
  }));
}

/** Every import of a file that is not part of the product. */
export const testImports: readonly Import[] = files.filter((file) => !product.includes(file)).flatMap(listImports);

/** Every import of the product, including types. */
export const imports: readonly Import[] = product.flatMap(listImports);

/** The graph of imports between files of the product; `key` maps a file to its node. */
export function graph(key: (file: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  const inProduct = new Set(product);
  for (const { from, to } of imports) {
    if (!inProduct.has(to) || key(from) === key(to)) continue;
    const targets = edges.get(key(from)) ?? new Set();
    edges.set(key(from), targets.add(key(to)));
  }
  return edges;
}

/** The strongly connected components of two or more nodes (Tarjan's algorithm). */
export function cycles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) found.push(group.sort());
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return found;
}
