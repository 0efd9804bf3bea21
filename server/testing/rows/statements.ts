import { product, readText } from "@/server/testing/architecture/source-tree";

const sends = /import \{([^}]*)\} from "@\/server\/platform\/(?:db|rows)"/g;

/** Lists every place of the product that sends a statement and reads its rows, as `file:line`. */
export function listStatements(files: readonly string[] = product): string[] {
  return files
    .filter((file) => !/^server\/platform\/(db|rows)\.ts$/.test(file))
    .flatMap((file) => {
      const text = readText(file);
      const imported = [...text.matchAll(sends)].flatMap(([, names = ""]) =>
        names.split(",").map((name) => name.trim()),
      );
      const names = ["sql", "query", "queryRows"].filter((name) => imported.includes(name));
      if (names.length === 0) return [];
      const calls = text.matchAll(new RegExp(`(?<![.\\w$])(?:${names.join("|")})\\(`, "g"));
      return [...calls].map(({ index }) => `${file}:${text.slice(0, index).split("\n").length}`);
    });
}
