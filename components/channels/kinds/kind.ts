/** One box of a channel's form. */
export interface ChannelField {
  /** The configuration's own name for it. */
  name: string;
  label: string;
  hint?: string;
  placeholder?: string;
  optional?: boolean;
  /** Written, never shown again. */
  secret?: boolean;
  /** Several addresses. */
  list?: boolean;
}

/** What the screens need of a type of channel. */
export interface ChannelView {
  label: string;
  /** Where its messages arrive, as a caption: "In Slack". */
  arrival: string;
  /** Whether people read its messages, or programs. */
  readBy: "people" | "programs";
  fields: readonly ChannelField[];
  /** Where a channel's messages go, as far as it may be shown. */
  destination: (config: Readonly<Record<string, unknown>>) => string;
}

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");
