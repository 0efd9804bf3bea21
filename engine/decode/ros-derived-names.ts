import { quoted } from "@/engine/formats/recording-error";

/** What a type is derived from: the service or action that the rest of its name is. */
export interface Derived {
  stem: string;
  kind: "service" | "action";
}

const derivedName =
  /^(.+?)_((?:SendGoal|GetResult)_(?:Request|Response|Event)|FeedbackMessage|Goal|Result|Feedback|Request|Response|Event)$/;
const ofServices = ["Request", "Response", "Event"];

/** The service or action that defines a type such as `pkg/srv/Add_Request`; null for names of messages. */
export function splitDerivedName(name: string): Derived | null {
  const [, stem = "", end = ""] = derivedName.exec(name) ?? [];
  return stem === "" ? null : { stem, kind: ofServices.includes(end) ? "service" : "action" };
}

/** What users can do about a type without a definition: a sentence. */
export function adviseOn(type: string): string {
  const derived = splitDerivedName(type);
  const file =
    derived === null
      ? "its .msg or .idl file"
      : `the .${derived.kind === "service" ? "srv" : "action"} file of ${quoted(derived.stem)}`;
  return `Add ${file} to the settings' message definitions and reprocess, or upload it with the recording.`;
}

/** Splits the lines of a service or an action at `---`; null for those of a message. */
export function splitParts(lines: readonly string[]): string[][] | null {
  const parts: string[][] = [[]];
  for (const line of lines) {
    if (line === "---") parts.push([]);
    else parts.at(-1)!.push(line);
  }
  return parts.length === 1 ? null : parts;
}
