// PostgreSQL cannot store NUL and unpaired surrogates.
const unstorable = /[\0\p{Surrogate}]/u;
const unstorableCharacters = /[\0\p{Surrogate}]/gu;

/** Makes a text of a recording storable: characters that the database cannot store become U+FFFD. */
export const storedText = (text: string): string =>
  unstorable.test(text) ? text.replace(unstorableCharacters, "\ufffd") : text;

/** A replacer of JSON: makes texts storable, and the names of members. */
function storable(_key: string, inner: unknown): unknown {
  if (typeof inner === "string") return storedText(inner);
  if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
  if (!Object.keys(inner).some((key) => unstorable.test(key))) return inner;
  return Object.fromEntries(Object.entries(inner).map(([key, value]) => [storedText(key), value as unknown]));
}

/** Serializes a value with texts of a recording to JSON that a jsonb column can store. */
export const storedJson = (value: unknown): string => JSON.stringify(value, storable);

/** A value of JSON with texts of a file as a jsonb column can store it. */
export const storedValue = <T>(value: T): T => JSON.parse(storedJson(value)) as T;
