import { env } from "@/server/platform/env";
import { logFor } from "@/server/platform/log";
import { processWide } from "@/server/platform/process-wide";

const log = logFor("database");

/** Lines in each minute: an overloaded database makes every statement slow. */
const maxLines = 20;
const windowMs = 60_000;
const maxText = 1_000;

const counted = processWide("slowStatements", () => ({ since: -Infinity, lines: 0, more: 0 }));

/** A statement as it is given to the driver: its text, or an object that has it. Values are never part of it. */
export function describeStatement(given: unknown): { statement: string; name?: string } {
  if (typeof given === "string") return { statement: shorten(given) };
  const { text = "", name } = (given ?? {}) as { text?: unknown; name?: unknown };
  return { statement: shorten(String(text)), ...(typeof name === "string" && { name }) };
}

const shorten = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, maxText);

/** Warns about a statement that took longer than SLOW_STATEMENT_MS. */
export function noteDuration(ms: number, given: unknown, requestId: string | undefined): void {
  const limitMs = env.SLOW_STATEMENT_MS;
  if (limitMs === 0 || ms < limitMs) return;
  const now = performance.now();
  if (now - counted.since > windowMs) {
    if (counted.more > 0) log.warn({ statements: counted.more }, "more slow statements in the minute before");
    Object.assign(counted, { since: now, lines: 0, more: 0 });
  }
  if (counted.lines >= maxLines) return void counted.more++;
  counted.lines++;
  log.warn({ ms: Math.round(ms), ...describeStatement(given), request_id: requestId }, "slow statement");
}
