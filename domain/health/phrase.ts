/** A metric in few words, for heads and rows: `35 % charging`, `CPU 9 %`, `84.7 GB free`. */

interface Shown {
  label: string;
  /** Its value for people; null where the last heartbeat had none. */
  text: string | null;
}

/** What stands before and after a value, either empty. */
export interface Phrase {
  before: string;
  text: string;
  after: string;
}

const battery = /^battery$/i;
const free = /^.+ (free)$/i;

/** The phrase of a metric; null without a value. `charging`: whether the device says that it charges. */
export function toPhrase({ label, text }: Shown, charging = false): Phrase | null {
  if (text === null) return null;
  if (battery.test(label)) return { before: "", text, after: charging ? "charging" : "battery" };
  const after = free.exec(label)?.[1]?.toLowerCase();
  return after === undefined ? { before: label, text, after: "" } : { before: "", text, after };
}

/** The phrase as one text. */
export const joinPhrase = ({ before, text, after }: Phrase): string =>
  [before, text, after].filter((part) => part !== "").join(" ");
