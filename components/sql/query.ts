import { shortestText } from "@/components/kit/format";
import type { AddressValues } from "@/components/list/list-input";
import { addressValue } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** What a query was answered. */
export type Result = Outputs["signals"]["run"];
export type Column = Result["columns"][number];
/** A topic with its fields. */
export type Table = Outputs["signals"]["tables"]["results"][number];

/** Encoded characters of a query that an address holds; servers and proxies refuse much longer ones. */
const maxAddressLength = 6_000;

/** Whether an address can hold a query. */
export const fitsAddress = (sql: string): boolean => encodeURIComponent(sql).length <= maxAddressLength;

/** A name of a topic or field as SQL writes it. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** What is sent for a query with the limits in the address; the server validates it. */
export function runInput(sql: string, values: AddressValues): Inputs["signals"]["run"] {
  const list = (key: string) => addressValue(values, key)?.split(",");
  const text = (key: string) => addressValue(values, key) ?? undefined;
  const limit = text("limit");
  return {
    sql,
    recordings: list("recordings"),
    device_ids: list("device_ids"),
    since: text("since"),
    until: text("until"),
    limit: limit === undefined ? undefined : Number(limit),
  };
}

const numericTypes = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\b.*)$/;
/** Whether a column holds numbers. */
export const isNumeric = ({ type }: Column): boolean => numericTypes.test(type);

/** A value of a column as a page shows it: numbers of 32 bits without the digits that only longer ones have. */
export const shownText = ({ type }: Column, value: unknown): string =>
  type === "FLOAT" && typeof value === "number" ? shortestText(value) : cellText(value);

/** A value of a result as text; empty for null. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
