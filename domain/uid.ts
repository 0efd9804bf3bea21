/** Kind prefixes of the fleet's identifiers; every other resource carries a bare UUIDv7. */
export const uidPrefixes = {
  device: "dev_",
  recording: "rec_",
  event: "evt_",
  rule: "rul_",
  alert: "alt_",
  channel: "ch_",
  group: "grp_",
  silence: "sil_",
} as const;
export type UidKind = keyof typeof uidPrefixes;

const getPrefix = (kind: UidKind | null): string => (kind ? uidPrefixes[kind] : "");

const patterns = new Map<UidKind | null, RegExp>();

/** The exact shape of an identifier of a kind (null for a bare UUID): lower case, of any version. */
export function uidPattern(kind: UidKind | null): RegExp {
  let pattern = patterns.get(kind);
  if (!pattern) {
    const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    patterns.set(kind, (pattern = new RegExp(`^${getPrefix(kind)}${uuid}$`)));
  }
  return pattern;
}

export const isUuid = (value: string): boolean => uidPattern(null).test(value);
export const isUid = (kind: UidKind | null, value: string): boolean => uidPattern(kind).test(value);
