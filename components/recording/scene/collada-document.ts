import { parseXml, type XmlElement } from "@/engine/messages/scenes/xml";

const limits = { maxLength: 64 * 1024 * 1024, maxElements: 1_000_000, keepsText: true };

/** An element as three's reader of COLLADA uses it. */
class ColladaElement {
  readonly nodeType = 1;
  readonly nodeName: string;
  readonly textContent: string;
  readonly childNodes: readonly ColladaElement[];
  private readonly attributes: Map<string, string>;

  constructor(element: XmlElement) {
    this.attributes = new Map(element.attributes);
    this.nodeName = element.name;
    this.textContent = element.text;
    this.childNodes = element.children.map((child) => new ColladaElement(child));
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  getElementsByTagName(name: string): ColladaElement[] {
    return this.childNodes.flatMap((child) => [
      ...(child.nodeName === name ? [child] : []),
      ...child.getElementsByTagName(name),
    ]);
  }

  /** Knows selectors by an attribute alone, which is all that is asked for. */
  querySelector(selector: string): ColladaElement | null {
    const [, name = "", value = ""] = /^\[(\w+)="([^]*)"\]$/.exec(selector) ?? [];
    for (const child of this.childNodes) {
      const found = child.getAttribute(name) === value ? child : child.querySelector(selector);
      if (found) return found;
    }
    return null;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
}

/** In place of the browser's, which threads do not have, nor tests. Throws UnreadableMessage for what is not well-formed. */
class ColladaDocument {
  parseFromString(text: string) {
    const root = new ColladaElement(parseXml(text, limits));
    return { childNodes: [root], getElementsByTagName: () => [] };
  }
}

/** Lets three's reader parse XML in this thread. */
export function provideDocument(): void {
  Object.assign(globalThis, { DOMParser: ColladaDocument });
}
