"use client";

import { parseAsArrayOf, parseAsInteger, parseAsString, useQueryStates } from "nuqs";

const parsers = {
  a: parseAsString,
  b: parseAsString,
  /** `start`, `clock`, `event:<label>` or `alert:<uid>`. */
  align: parseAsString,
  /** Milliseconds by which the second is later than aligned. */
  shift: parseAsInteger.withDefault(0),
  t: parseAsString,
  from: parseAsString,
  to: parseAsString,
  /** Fields that are plotted; null for those that differ most, empty for none. */
  plots: parseAsArrayOf(parseAsString),
  /** Panels, each a type and its topic: `image:/camera`; null for those that suit the first recording. */
  panels: parseAsArrayOf(parseAsString),
  /** Changed members of the panels' configs, by the panel's name. JSON. */
  settings: parseAsString,
};

/** What the address of a comparison holds. */
export const useCompareAddress = () => useQueryStates(parsers, { history: "replace", throttleMs: 300 });
