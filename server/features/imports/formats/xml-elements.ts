import { SaxesParser } from "saxes";
import { BadAnnotationFile, readLimits } from "@/server/features/imports/formats/annotation-file";
import { inSource, type Source } from "@/server/features/imports/formats/sources";

/** An element with what is in it. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** The text in it, without that of its children. */
  text: string;
  /** Where it begins. */
  line: number;
}

const maxDepth = 64;

/** Builds the elements that are wanted, and nothing of the others. */
class ElementBuilder {
  private readonly names: string[] = [];
  private readonly open: XmlElement[] = [];
  private parts = 0;
  /** Whether the document had an element. */
  hasRoot = false;
  found: XmlElement[] = [];

  constructor(
    private readonly source: Source,
    private readonly isWanted: (names: readonly string[]) => boolean,
  ) {}

  get isBuilding(): boolean {
    return this.open.length > 0;
  }

  begin(name: string, attributes: XmlElement["attributes"], line: number): void {
    this.hasRoot = true;
    this.names.push(name);
    if (this.names.length > maxDepth)
      throw new BadAnnotationFile(`${inSource(this.source, `line ${line}`)}: elements are nested too deeply.`);
    if (!this.isBuilding && !this.isWanted(this.names)) return;
    this.parts = this.isBuilding ? this.parts + 1 : 0;
    if (this.parts > readLimits.valueParts)
      throw new BadAnnotationFile(
        `${inSource(this.source, `line ${line}`)}: an element has more than ${readLimits.valueParts} others.`,
      );
    const element: XmlElement = { name, attributes, children: [], text: "", line };
    this.open.at(-1)?.children.push(element);
    this.open.push(element);
  }

  addText(text: string): void {
    const element = this.open.at(-1);
    if (element) element.text += text;
  }

  end(): void {
    this.names.pop();
    const element = this.open.pop();
    if (element && !this.isBuilding) this.found.push(element);
  }
}

/** Errors of the disk have a code. */
const isSyntaxError = (error: unknown): error is Error =>
  error instanceof Error && error.constructor === Error && !("code" in error);

/** What the parser says begins with the line and the column. */
function toBadFile(error: Error, source: Source): BadAnnotationFile {
  const [, line, what] = /^(\d+):\d+: (.*)$/s.exec(error.message) ?? [];
  if (/unclosed tag|unexpected end|document must contain a root/.test(error.message))
    return new BadAnnotationFile(`${inSource(source, "the document")} ends too early: it is cut off.`);
  return new BadAnnotationFile(
    line === undefined || what === undefined
      ? `${inSource(source, "the document")} is no XML: ${error.message}`
      : `${inSource(source, `line ${line}`)}: this is no XML: ${what}`,
  );
}

/**
 * The elements of a document whose names, from that of the document on, are wanted, in parts. Nothing else is kept. Throws
 * BadAnnotationFile for what is no XML, declares a type or entities, or has elements of more bytes than memory may hold.
 */
export async function* readElements(
  source: Source,
  isWanted: (names: readonly string[]) => boolean,
): AsyncGenerator<XmlElement[]> {
  const parser = new SaxesParser<{ xmlns: false; position: true }>({ xmlns: false, position: true });
  const builder = new ElementBuilder(source, isWanted);
  let [bytes, kept] = [0, 0];
  parser.on("doctype", () => {
    throw new BadAnnotationFile(
      `${inSource(source, `line ${parser.line}`)}: declarations of types and entities are not allowed.`,
    );
  });
  parser.on("opentag", ({ name, attributes }) => {
    builder.begin(name, attributes, parser.line);
    if (!builder.isBuilding) kept = bytes;
  });
  parser.on("closetag", () => {
    builder.end();
    if (!builder.isBuilding) kept = bytes;
  });
  parser.on("text", (text) => builder.addText(text));
  parser.on("cdata", (text) => builder.addText(text));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const part of source.read()) {
      bytes += part.length;
      parser.write(decoder.decode(part, { stream: true }));
      if (bytes - kept > readLimits.valueBytes)
        throw new BadAnnotationFile(
          `${inSource(source, `up to line ${parser.line}`)}: an element has more than ${readLimits.valueBytes / 1024 ** 2} MiB.`,
        );
      if (builder.found.length > 0) yield builder.found;
      builder.found = [];
    }
    parser.write(decoder.decode());
    parser.close();
    if (!builder.hasRoot) throw new BadAnnotationFile(`${inSource(source, "the document")} has no elements.`);
    if (builder.found.length > 0) yield builder.found;
  } catch (error) {
    if (error instanceof TypeError) throw new BadAnnotationFile(`${inSource(source, "the document")} is not in UTF-8.`);
    throw isSyntaxError(error) ? toBadFile(error, source) : error;
  }
}
