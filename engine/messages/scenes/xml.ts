import { UnreadableMessage } from "@/engine/messages/reading";

/** An element of an XML text. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** What is between its tags beside its children; empty unless it is to be kept. */
  text: string;
}

interface XmlOptions {
  maxLength: number;
  maxElements: number;
  keepsText: boolean;
}

const usual: XmlOptions = { maxLength: 16_000_000, maxElements: 200_000, keepsText: false };
const maxDepth = 64;

/** A comment, an instruction, characters as they are, or a tag: its slash, name, attributes and closing slash. */
const token =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[[^]*?\]\]>|<(\/?)([A-Za-z_][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * The root of an XML text. Threads of pages have no parser of their own. Definitions of entities are refused, since they
 * can grow without limit. Throws UnreadableMessage for what is not well-formed.
 */
export function parseXml(text: string, { maxLength, maxElements, keepsText } = usual): XmlElement {
  if (text.length > maxLength)
    throw new UnreadableMessage(`The XML is longer than ${Math.floor(maxLength / 1_000_000)} MB.`);
  const root: XmlElement = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  let elements = 0;
  let from = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    if (keepsText && at > from) open.at(-1)!.text += unescape(text.slice(from, at));
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) throw new UnreadableMessage(`The XML is not well-formed at character ${at}.`);
    from = at = token.lastIndex;
    const [, slash, name, attributes, closing] = match;
    // What is no tag.
    if (name === undefined) continue;
    const parent = open.at(-1)!;
    if (slash === "/") {
      if (open.length === 1 || parent.name !== name)
        throw new UnreadableMessage(`The XML ends an element "${name}" that is not open.`);
      open.pop();
      continue;
    }
    if (++elements > maxElements)
      throw new UnreadableMessage(`The XML has more than ${maxElements.toLocaleString("en")} elements.`);
    if (open.length > maxDepth) throw new UnreadableMessage("The XML nests too deeply.");
    const element = { name, attributes: readAttributes(attributes ?? ""), children: [], text: "" };
    parent.children.push(element);
    if (closing !== "/") open.push(element);
  }
  const [first] = root.children;
  if (open.length > 1) throw new UnreadableMessage(`The XML does not end its element "${open.at(-1)!.name}".`);
  if (first === undefined || root.children.length > 1) throw new UnreadableMessage("The XML has not one root.");
  return first;
}

function readAttributes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = "", double, single] of text.matchAll(attribute))
    found.set(name, unescape(double ?? single ?? ""));
  return found;
}

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const unescape = (text: string): string =>
  text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => named[name] ?? "");
