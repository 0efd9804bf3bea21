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
  /** The uid of a layout, or `suggested` for the one that fits what the address names. */
  layout?: string;
}

/** The address of a recording's page at a moment. */
export function recordingHref(uid: string, { plots, ...moment }: Moment = {}): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(moment)) if (value) query.set(key, value);
  if (plots?.length) query.set("plots", plots.join(","));
  const text = query.toString();
  return `/recordings/${uid}${text ? `?${text}` : ""}`;
}

/** The address where two recordings are compared; without the second, where it is chosen. */
export function compareHref(a: string, b?: string, at: { t?: string; plots?: readonly string[] } = {}): string {
  const query = new URLSearchParams({ a });
  if (b !== undefined) query.set("b", b);
  if (at.t !== undefined) query.set("t", at.t);
  if (at.plots?.length) query.set("plots", at.plots.join(","));
  return `/recordings/compare?${query.toString()}`;
}
