/** Where a recording's page opens. Times are RFC 3339 with up to nine digits of a second. */
export interface Moment {
  /** The playhead. */
  t?: string;
  /** The visible range. */
  from?: string;
  to?: string;
  /** Fields to plot, as paths: `/motor/temp.data.value`. */
  plots?: readonly string[];
  /** The topic in focus. */
  topic?: string;
}

/** The address of a recording's page at a moment. */
export function recordingHref(uid: string, { plots, ...moment }: Moment = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(moment)) if (value) query.set(key, value);
  if (plots?.length) query.set("plots", plots.join(","));
  const text = query.toString();
  return `/recordings/${uid}${text ? `?${text}` : ""}`;
}

/** Nanoseconds since 1970 as RFC 3339 with nine digits: what `t`, `from` and `to` carry. */
export function nanosecondsToIso(ns: bigint): string {
  const seconds = ns >= 0n ? ns / 1_000_000_000n : -((-ns + 999_999_999n) / 1_000_000_000n);
  const rest = ns - seconds * 1_000_000_000n;
  return `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}.${rest.toString().padStart(9, "0")}Z`;
}

/** The reverse of `nanosecondsToIso`, for any number of digits up to nine; null for what is no such time. */
export function isoToNanoseconds(text: string): bigint | null {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/.exec(text);
  const milliseconds = match ? Date.parse(`${match[1]}Z`) : Number.NaN;
  if (!match || Number.isNaN(milliseconds)) return null;
  return BigInt(milliseconds) * 1_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"));
}
