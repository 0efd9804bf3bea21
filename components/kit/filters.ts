"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { useMemo } from "react";
import { formatInstant, zoneOffset } from "./format";

export interface FilterDefinition {
  /** The API's own parameter name, as in the address: `status`. */
  key: string;
  /** "Status". */
  label: string;
  /** Fixed values to pick from; without them any text is taken. */
  options?: readonly { value: string; label?: string; hint?: string }[];
  /** Values from the server, filtered by what was typed. */
  suggest?: (text: string) => readonly string[];
  /** Several values, joined by commas: `severity=critical,error`. */
  multiple?: boolean;
  /** Values are times: a dialog offers fields for them. */
  isTime?: boolean;
  /** The value that a typed text means in a time zone; null for a text without meaning. Without it any text is a value. */
  read?: (text: string, zone: string) => string | null;
  /** What a value looks like: "lab-2", "site=berlin". */
  example?: string;
}

export interface Filters {
  /** Values by key as in the address; null where not set. */
  values: Record<string, string | null>;
  set: (key: string, value: string | null) => void;
  clear: () => void;
  /** How many filters are set, the free text included. */
  count: number;
}

/** Filters kept in the address; each change is a step in the history, so Back undoes it. */
export function useFilters(definitions: readonly FilterDefinition[], textKey?: string): Filters {
  const signature = [...definitions.map((each) => each.key), ...(textKey ? [textKey] : [])].join(" ");
  const parsers = useMemo(
    () =>
      Object.fromEntries(
        signature
          .split(" ")
          .filter(Boolean)
          .map((key) => [key, parseAsString]),
      ),
    [signature],
  );
  const [values, setValues] = useQueryStates(parsers, { history: "push" });
  return {
    values,
    set: (key, value) => void setValues({ [key]: value === "" ? null : value }),
    clear: () => void setValues(null),
    count: Object.values(values).filter((value) => value !== null).length,
  };
}

/** Splits `key:value` at its first colon when the key is known; else it is free text. */
export function parseFilterText(text: string, definitions: readonly FilterDefinition[]) {
  const colon = text.indexOf(":");
  if (colon <= 0) return { definition: undefined, rest: text.trim() };
  const key = text.slice(0, colon).trim().toLowerCase();
  const definition = definitions.find((each) => each.key === key || each.label.toLowerCase() === key);
  return { definition, rest: definition ? text.slice(colon + 1).trim() : text.trim() };
}

/** Adds a value to a filter's text, or replaces it when the filter takes only one. */
export function withValue(definition: FilterDefinition, before: string | null, value: string): string {
  if (!definition.multiple || !before) return value;
  return [...new Set([...before.split(","), value])].join(",");
}

/** An exact time, as every filter of times takes it. */
export const exampleTime = "2026-01-31T12:00Z";

/** The instant (ms) of a value that is an exact time, in UTC without an offset; null for a span such as `-7d` and others. */
export function readExactTime(value: string): number | null {
  const [, time, offset = "Z"] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?$/i.exec(value) ?? [];
  const at = time === undefined ? Number.NaN : Date.parse(time + offset);
  return Number.isNaN(at) ? null : at;
}

const dayMs = 86_400_000;
const isMidnight = (at: number, zone: string): boolean => (at + zoneOffset(at, zone)) % dayMs === 0;

/**
 * A value as people read it: an exact time in their zone, two with a slash between as a span, which may be whole days, and
 * all others, such as `-7d`, as they are written.
 */
export function describeTime(value: string, zone: string): string {
  const [from = null, to = from, ...others] = value.split("/").map(readExactTime);
  if (from === null || to === null || others.length > 0) return value;
  if (from === to) return formatInstant(from, zone, "minute");
  const areDays = isMidnight(from, zone) && isMidnight(to, zone);
  const ends = areDays
    ? [formatInstant(from, zone, "day"), formatInstant(to - 1, zone, "day")]
    : [from, to].map((at) => formatInstant(at, zone, "minute"));
  return [...new Set(ends)].join(" to ");
}

/**
 * Filters whose name contains a text: those whose name begins with at least two letters of it, which are meant before
 * anything else, and the others.
 */
export function findFilters(definitions: readonly FilterDefinition[], text: string) {
  const needle = text.toLowerCase();
  const begins = ({ key, label }: FilterDefinition) => key.startsWith(needle) || label.toLowerCase().startsWith(needle);
  const found = definitions.filter(({ key, label }) => key.includes(needle) || label.toLowerCase().includes(needle));
  const [begun, others] = [found.filter(begins), found.filter((each) => !begins(each))];
  return needle.length < 2 ? { meant: [], others: [...begun, ...others] } : { meant: begun, others };
}
