/** An element of a document of XML. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  /** The text in it, without that of its children. */
  text: string;
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replace(/&(#(\d+)|\w*);?/g, (whole, name: string, code: string | undefined) => {
    const value = code === undefined ? entities[name] : String.fromCodePoint(Number(code));
    if (value === undefined || !whole.endsWith(";")) throw new Error(`no entity: ${whole}`);
    return value;
  });
}

/** Reads the attributes of a tag. Throws for what is not `name="value"`, and for a name that is there twice. */
function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  const rest = text.replace(/\s+([\w:-]+)="([^"<]*)"/g, (_, name: string, value: string) => {
    if (name in attributes) throw new Error(`attribute ${name} is there twice`);
    attributes[name] = decode(value);
    return "";
  });
  if (rest.trim() !== "") throw new Error(`no attributes: ${rest}`);
  return attributes;
}

/** Reads a well-formed document of elements and text, and throws for any other. Written for tests only. */
export function readXml(document: string): XmlElement {
  const root: XmlElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  const tags = /<(\/?)([A-Za-z][\w:-]*)([^<>]*?)(\/?)>/g;
  const body = document.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\s*/, "");
  let end = 0;
  for (const tag of body.matchAll(tags)) {
    const [whole, closing, name = "", attributes = "", empty] = tag;
    const current = open.at(-1) ?? root;
    current.text += decode(readText(body.slice(end, tag.index)));
    end = tag.index + whole.length;
    if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes ${current.name}`);
      continue;
    }
    const element: XmlElement = { name, attributes: readAttributes(attributes), children: [], text: "" };
    current.children.push(element);
    if (!empty) open.push(element);
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || !only || others.length > 0 || body.slice(end).trim() !== "")
    throw new Error("the document has no single element");
  return only;
}

function readText(text: string): string {
  if (/[<>]/.test(text)) throw new Error(`no text: ${text}`);
  return text;
}

/** The elements with a name, at any depth. */
export const findAll = (element: XmlElement, name: string): XmlElement[] =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findAll(child, name)]);
