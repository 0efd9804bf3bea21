const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

// XML allows no other control characters, and no half of a pair that stands alone.
const forbidden =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Text as it stands in an element or an attribute of XML. */
export const escapeText = (text: string): string =>
  text.replace(forbidden, "\uFFFD").replace(/[&<>"'\n\r\t]/g, (each) => entities[each] ?? each);

/** An element of XML with its attributes; those that are undefined are not there. `content` is XML already. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content = "",
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeText(String(value))}"`],
  );
  return `<${name}${written.join("")}>${content}</${name}>`;
}

/** An element that holds text alone. */
export const textElement = (name: string, text: string | number): string => element(name, {}, escapeText(String(text)));
