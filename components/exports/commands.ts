import { formatExtensions } from "./labels";
import type { Export } from "./query";

/** A name as part of a file name in a command: `Yard, night (2)` → `yard-night-2`. */
const fileName = ({ name, format }: Pick<Export, "name" | "format">): string => {
  const stem = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${stem || "export"}.${formatExtensions[format]}`;
};

export const createCommand = (origin: string): string => `curl ${origin}/api/v1/exports/ \\
  -H "X-Service-Api-Key: $KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Yard crossings", "format": "YOLO", "results": "accepted",
       "datasets": ["'"$DATASET"'"], "slices": [], "projects": []}'`;

/** Downloads the file by its signed link and checks it; null while there is no file. */
export function linkCommand(of: Export, origin: string): string | null {
  if (of.download_url === null) return null;
  const file = fileName(of);
  const check = of.sha256 === null ? "" : `\necho "${of.sha256}  ${file}" | sha256sum --check`;
  return `curl --fail --output ${file} '${new URL(of.download_url, origin).href}'${check}`;
}

/** Downloads the file with an API key, which no link in a script can replace: links expire. */
export const keyCommand = (of: Export, origin: string): string =>
  `curl --fail --output ${fileName(of)} "$(curl --silent ${origin}/api/v1/exports/${of.uid}/ \\
  -H "X-Service-Api-Key: $KEY" | python3 -c 'import json, sys; print(json.load(sys.stdin)["download_url"])')"`;
