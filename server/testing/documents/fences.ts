import fs from "node:fs";
import path from "node:path";
import { root } from "@/server/testing/architecture/source-tree";

/** A block of code in a document. */
export interface Fence {
  /** What follows the backticks: `sh`, `json response`. */
  info: string;
  text: string;
  /** The heading above it. */
  heading: string;
}

/** The blocks of code of a document, in their order. */
export function listFences(file: string): Fence[] {
  let heading = "";
  return [...fs.readFileSync(path.join(root, file), "utf8").matchAll(/^#+ (.+)$|^```(.*)\n([^]*?)^```$/gm)].flatMap(
    ([, title, info, text = ""]) => {
      if (title !== undefined) heading = title;
      return info === undefined ? [] : { info, text, heading };
    },
  );
}
