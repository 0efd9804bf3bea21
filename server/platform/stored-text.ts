// PostgreSQL cannot store NUL and unpaired surrogates.
const unstorable = /[\0\p{Surrogate}]/u;
const unstorableCharacters = /[\0\p{Surrogate}]/gu;

/** Makes a text of a recording storable: characters that the database cannot store become U+FFFD. */
export const storedText = (text: string): string =>
  unstorable.test(text) ? text.replace(unstorableCharacters, "\ufffd") : text;

/** Serializes a value with texts of a recording to JSON that a jsonb column can store. */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? storedText(inner) : inner));
