/** Parameters of an address: on the server, repeated parameters arrive as an array. */
export type AddressValues = Readonly<Record<string, string | readonly string[] | null | undefined>>;

/** The value of a parameter, the first of several; null where it is missing or empty. */
export function addressValue(values: AddressValues, key: string): string | null {
  const value = values[key];
  return (typeof value === "string" ? value : value?.[0]) || null;
}

/**
 * What the parameters named by `keys` hold, as a list's procedure takes it; those that are not set are left out. Any
 * text may be in an address: the procedure validates it.
 */
export function filterInput(keys: readonly string[], values: AddressValues): Record<string, string> {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = addressValue(values, key);
      return value === null ? [] : [[key, value]];
    }),
  );
}

/** Follows the cursor from page to page; the second argument of every list's `infiniteQueryOptions`. */
export const nextPage = { getNextPageParam: (page: { next: string | null }) => page.next ?? undefined };
