/** The formats of message definitions, which are also the extensions of their files. */
export const definitionFormats = ["msg", "srv", "action", "idl"] as const;
export type DefinitionFormat = (typeof definitionFormats)[number];

/** The extensions of definitions, for choosing files. */
export const definitionExtensions = definitionFormats.map((format) => `.${format}`).join(",");

/** What a file of a definition can be, for texts. */
export const definitionFileNames = ".msg, .srv, .action or .idl";

/** The format of a file by its extension; null for other files. */
export function getDefinitionFormat(path: string): DefinitionFormat | null {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return definitionFormats.find((format) => format === extension) ?? null;
}

/** The folder of a package in which files of a format are. */
export const toFolder = (format: DefinitionFormat | null): "msg" | "srv" | "action" =>
  format === "srv" || format === "action" ? format : "msg";

/** `pkg/Type` of `…/pkg/msg/Type.msg`; `Type` alone for a file outside a package's folder. */
export function toTypeName(path: string): string {
  const parts = path.replace(/\.(msg|srv|action|idl)$/i, "").split(/[/\\]/);
  const folder = /^(msg|srv|action)$/.test(parts.at(-2) ?? "") ? parts.at(-3) : parts.at(-2);
  const name = parts.at(-1) ?? "";
  return folder === undefined || folder === "" ? name : `${folder}/${name}`;
}
