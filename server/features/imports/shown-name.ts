import { storedText } from "@/server/platform/stored-text";

const maxLength = 500;

/** A text of a file in a report: longer ones are cut, and it holds nothing that the database cannot store. */
export const shownName = (text: string): string =>
  storedText(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
