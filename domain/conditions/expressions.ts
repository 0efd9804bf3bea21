import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { heartbeatTopic } from "@/domain/conditions/topics";

export const maxPatternLength = 512;
/** Instructions of a compiled expression; matching costs at worst this times the length of the value. */
const maxProgramSize = 10_000;

/** Why a pattern cannot be used, for its author. */
export class PatternError extends Error {}

// The library names the offending fragment but not its position, which is where a prefix first fails the same way.
function findPosition(regex: string, error: RE2JSSyntaxException): number {
  const fragment = error.input ?? "";
  if (fragment === "") return Math.max(regex.length - 1, 0);
  for (let at = regex.indexOf(fragment); at >= 0; at = regex.indexOf(fragment, at + 1)) {
    try {
      RE2JS.compile(regex.slice(0, at + fragment.length));
    } catch (cause) {
      if (cause instanceof RE2JSSyntaxException && cause.error === error.error) return at;
    }
  }
  return Math.max(regex.indexOf(fragment), 0);
}

/**
 * Compiles a regular expression that matches in linear time. Throws a PatternError that names the position (from 0).
 */
export function compilePattern(regex: string): RE2JS {
  if (regex.length > maxPatternLength)
    throw new PatternError(`Ensure this field has no more than ${maxPatternLength} characters.`);
  try {
    const pattern = RE2JS.compile(regex);
    if (pattern.programSize() > maxProgramSize)
      throw new PatternError("The expression repeats too much; use smaller counts.");
    return pattern;
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) {
      const fragment = error.input ? `: ${error.input}` : "";
      throw new PatternError(`Invalid expression at position ${findPosition(regex, error)}: ${error.error}${fragment}`);
    }
    if (error instanceof RE2JSException) throw new PatternError(`Invalid expression: ${error.message}`);
    throw error;
  }
}

export const isGlob = (topic: string): boolean => topic.includes("*");

/**
 * Returns whether a topic matches: `*` stands for any characters within one level of the name, `**` for any at all;
 * neither matches the heartbeats of a device.
 * Throws a PatternError when the glob is too long.
 */
export function topicMatcher(topic: string): (candidate: string) => boolean {
  if (!isGlob(topic)) return (candidate) => candidate === topic;
  if (topic.length > maxPatternLength) {
    throw new PatternError(`Ensure this field has no more than ${maxPatternLength} characters.`);
  }
  const regex = topic
    .split(/(\*+)/)
    .map((piece) => (piece.startsWith("**") ? "[\\s\\S]*" : piece === "*" ? "[^/]*" : RE2JS.quote(piece)))
    .join("");
  const pattern = RE2JS.compile(`^(?:${regex})$`);
  return (candidate) => candidate !== heartbeatTopic && pattern.matches(candidate);
}
