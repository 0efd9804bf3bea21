/** Why results are rejected, by one key each. */
export const rejectionKinds = ["wrong_label", "wrong_place", "missing", "extra", "wrong_attribute", "other"] as const;
export type RejectionKind = (typeof rejectionKinds)[number];

export const rejectionLabels: Readonly<Record<RejectionKind, string>> = {
  wrong_label: "Wrong label",
  wrong_place: "Wrong place",
  missing: "Missing",
  extra: "Too much",
  wrong_attribute: "Wrong attribute",
  other: "Other",
};

/** The reason as one text: "Wrong label, missing: the cart behind the gate". */
export function describeRejection(kinds: readonly RejectionKind[], text: string): string {
  const named = kinds
    .filter((kind) => kind !== "other")
    .map((kind, at) => (at === 0 ? rejectionLabels[kind] : rejectionLabels[kind].toLowerCase()))
    .join(", ");
  return [named, text.trim()].filter((part) => part !== "").join(": ");
}
