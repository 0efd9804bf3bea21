import { RecordingError } from "@/engine/formats/recording-error";

/** Typedefs of arrays that are themselves made of a typedef: the parser's time more than triples with each in a row. */
const maxNested = 3;
/** Names and dimensions of one declaration: the parser's time grows with their square. */
const maxNames = 300;
const maxDimensions = 16;

/** Comments, texts and single characters, of which the parser reads no names. */
const unread = /\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
const declarations = /[^;{}]+;/g;
const typedef = /\btypedef\s+([\w:]+)\s*(?:<[^;]*>)?([^;]*);/;

/** Refuses texts of IDL that would keep the parser for longer than their length warrants. Throws a RecordingError. */
export function checkIdl(text: string): void {
  const bases: string[] = [];
  const names = new Set<string>();
  for (const [declaration] of text.replace(unread, " ").matchAll(declarations)) {
    if (declaration.split("[").length - 1 > maxDimensions || declaration.split(",").length > maxNames)
      throw new RecordingError("A declaration of the IDL schema is too long.");
    const [, base, declared] = typedef.exec(declaration) ?? [];
    if (base === undefined || declared === undefined) continue;
    // The last name alone is compared: it may be that of a typedef in any module.
    if (declared.includes("[")) bases.push(base.slice(base.lastIndexOf(":") + 1));
    for (const [, name] of declared.matchAll(/(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)/g)) names.add(name!);
  }
  if (bases.filter((base) => names.has(base)).length > maxNested)
    throw new RecordingError("The IDL schema makes arrays of arrays too often.");
}
