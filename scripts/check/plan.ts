import type { Changes } from "@/scripts/check/changes";
import { type Edge, isTest, measureDistances } from "@/scripts/check/reach";

/** What `npm run check` runs after a change. */
export interface Plan {
  /** Files, or the whole repository as ".". */
  format: string[];
  lint: string[];
  types: boolean;
  tests: string[];
  /** Whether the threads of pages are built first, for the test of their sizes. */
  threads: boolean;
  /** The folders to whose operations the tables are limited; undefined for all operations. */
  parts: string[] | undefined;
  /** How many tests the change reaches that do not run. */
  left: number;
  /** What the change needs besides. */
  notes: string[];
}

export interface Tree {
  files: readonly string[];
  edges: readonly Edge[];
}

/** Only the nearest run of the tests with a database outside the changed folders, which take seconds each. */
const nearest = { count: 12, distance: 8 };
/** A schema that many features read is proven on the operations of the nearest. */
const maxParts = 6;

/** Random requests, which have to reach every kind of response: with all operations, in minutes. */
const ofAllOperations = "server/testing/bad-input/fuzz.test.ts";

/** The tables over all operations. */
const tables = [
  "server/composition/contract.test.ts",
  "server/composition/roles.test.ts",
  "server/testing/isolation.test.ts",
  ...["accepted", "document", "examples", "fields", "paths", "queries", "responses"].map(
    (name) => `server/testing/bad-input/${name}.test.ts`,
  ),
];

const ofThreads = "components/recording/thread/thread-scripts.test.ts";

const isCode = (file: string): boolean => /\.(ts|tsx|mts|mjs|js)$/.test(file);
/** Tests that compute or read files: all that a change reaches run within seconds. */
const isQuick = (test: string): boolean => /^(app|components|domain|engine|scripts)\//.test(test);
const ofFiles = /^server\/testing\/(architecture|documents)\/(?!guides-run|mcp-document|sql-document)/;
/** What every test or every tool depends on. */
const isEverything = (file: string): boolean =>
  /^(package(-lock)?\.json|tsconfig\.json|vitest\.config\.ts|prisma\.config\.ts|\.ox(lint|fmt)rc\.json)$/.test(file) ||
  /^(prisma\/schema\/|scripts\/bootstrap\.mjs$|server\/testing\/(setup|global-setup|database)\.ts$)/.test(file);

/** A folder of a feature or of a screen's queries. */
const getPart = (file: string): string | undefined =>
  /^server\/(?:(?:features|read-models)\/[^/]+|demo)(?=\/)/.exec(file)?.[0];
const declares = (file: string): boolean => /\/([\w-]+-)?(rest|trpc)\.ts$/.test(file);
/** What an operation's input and response are declared with. */
const isDeclaration = (file: string): boolean =>
  file.startsWith("domain/") || (getPart(file) !== undefined && (declares(file) || file.endsWith("/resource.ts")));
/** What the operations of all features pass through. */
const isPipeline = (file: string): boolean => /^server\/transport\/(rest|trpc|session|http|mcp)\//.test(file);
/** What lists all operations: a new one has a line there. */
const isList = (file: string): boolean =>
  /^server\/(composition|testing\/(roles|bad-input|isolation|operations))/.test(file);

/** Further commands, for what no test of vitest runs. */
const elsewhere: readonly (readonly [RegExp, string])[] = [
  [/^e2e\//, "npx playwright test -c e2e <changed specs> (not run here)"],
  [/^faults\//, "npm run test:faults (not run here)"],
  [/^deploy\/|^compose\./, "npm run test:deploy (not run here)"],
  [/^bench\//, "npm run bench (not run here)"],
  [/^prisma\/(schema|migrations)\//, "npm run migration -- --check (not run here)"],
];

/** The folders whose operations a change touches, nearest first. */
function findParts(changed: readonly string[], { files, edges }: Tree): string[] {
  const withOperations = new Set(files.filter(declares).map(getPart));
  const own = changed.map(getPart);
  const schemas = changed.filter((file) => file.startsWith("domain/"));
  const read = [...measureDistances(edges, schemas, isDeclaration).keys()].filter(declares).map(getPart);
  const parts = [...new Set([...own, ...read])].filter((part) => part !== undefined && withOperations.has(part));
  return parts.filter((part) => part !== undefined);
}

/** Decides what proves a change, from the files that changed and what the repository's files import. */
export function planCheck({ present, gone }: Changes, tree: Tree, runAll = false): Plan {
  const changed = [...present, ...gone];
  const everything = changed.filter(isEverything);
  const code = present.filter(isCode);
  const distances = measureDistances(tree.edges, changed);
  const reached = [...distances.keys()].filter(isTest).filter((file) => !gone.includes(file));

  const touched = findParts(changed, tree);
  const parts = touched.slice(0, maxParts);
  const isWide = changed.some(isPipeline) || (parts.length === 0 && changed.some(isList));
  const folders = new Set(changed.map(getPart).filter((part) => part !== undefined));
  const isOwn = (test: string) => present.includes(test) || folders.has(getPart(test) ?? "");

  const tests = new Set(tree.files.filter((file) => isTest(file) && isOwn(file)));
  for (const test of tree.files) if (isTest(test) && ofFiles.test(test)) tests.add(test);
  for (const test of reached) if (isQuick(test)) tests.add(test);
  if (everything.length > 0) for (const test of tree.files) if (isTest(test) && isQuick(test)) tests.add(test);
  const threads = [...distances.keys()].some((file) => file.endsWith(".worker.ts")) || everything.length > 0;
  if (threads) tests.add(ofThreads);
  const hasTables = parts.length > 0 || isWide || everything.length > 0;
  if (hasTables) for (const test of tables) tests.add(test);
  const rank = (test: string) => distances.get(test) ?? 0;
  const others = reached
    .filter((test) => !tests.has(test) && !tables.includes(test) && test !== ofAllOperations)
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const near = others.slice(0, nearest.count).filter((test) => rank(test) <= nearest.distance);
  for (const test of runAll ? others : near) tests.add(test);

  const notes = elsewhere.filter(([pattern]) => changed.some((file) => pattern.test(file))).map(([, note]) => note);
  if (everything.length > 0) notes.unshift(`${everything.join(", ")}: this reaches everything, run npm test too`);
  if (touched.length > parts.length)
    notes.push(`operations of ${touched.length - parts.length} more folders read this`);
  const whole = everything.length > 0 ? ["."] : undefined;
  return {
    format: whole ?? present.filter((file) => isCode(file) || file.endsWith(".css")),
    lint: whole ?? code,
    types: everything.length > 0 || changed.some((file) => isCode(file) || file.endsWith(".json")),
    tests: [...tests].sort(),
    threads,
    parts: hasTables && !isWide && everything.length === 0 ? parts : undefined,
    left: reached.filter((test) => !tests.has(test)).length,
    notes,
  };
}
