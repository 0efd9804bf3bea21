// What PostgreSQL cannot store: NUL anywhere, and halves of characters outside the basic plane.
const unstorable = /[\0\p{Surrogate}]/u;
const unstorableCharacters = /[\0\p{Surrogate}]/gu;

/** A text out of a recording, fit for the database: what it cannot hold becomes U+FFFD. */
export const storedText = (text: string): string =>
  unstorable.test(text) ? text.replace(unstorableCharacters, "\ufffd") : text;

/** JSON with the texts of a recording in it, fit for a jsonb column. */
export const storedJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? storedText(inner) : inner));
