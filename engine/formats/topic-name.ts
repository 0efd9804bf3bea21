import type { Warnings } from "@/engine/formats/indexed-file";

const unnamed = "(unnamed)";

/**
 * The name under which a topic is listed, plotted and addressed: the recorded one, but for names that no request can
 * carry and no database can hold.
 */
export function toTopicName(recorded: string, warnings: Warnings): string {
  if (recorded.trim() === "") {
    warnings.add(`A topic without a name is listed as "${unnamed}".`);
    return unnamed;
  }
  if (!recorded.includes("\0")) return recorded;
  warnings.add("Topic names with NUL characters are listed with \\u0000 in place of them.");
  return recorded.replaceAll("\0", String.raw`\u0000`);
}
