/** The formats of message definitions, which are also the extensions of their files. */
export const definitionFormats = ["msg", "idl"] as const;
export type DefinitionFormat = (typeof definitionFormats)[number];

/** The format of a file by its extension; null for other files. */
export function getDefinitionFormat(path: string): DefinitionFormat | null {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return definitionFormats.find((format) => format === extension) ?? null;
}

/** `pkg/Type` of `…/pkg/msg/Type.msg`; `Type` alone for a file outside a package's folder. */
export function toTypeName(path: string): string {
  const parts = path.replace(/\.(msg|idl)$/i, "").split(/[/\\]/);
  const folder = parts.at(-2) === "msg" ? parts.at(-3) : parts.at(-2);
  const name = parts.at(-1) ?? "";
  return folder === undefined || folder === "" ? name : `${folder}/${name}`;
}
