import { countThings, Notes } from "@/engine/messages/notes";
import { readFields, readList, readText, toShortName } from "@/engine/messages/reading";

const schemas: ReadonlySet<string> = new Set(["sensor_msgs/JointState", "foxglove.JointStates"]);

export const isJointSchema = (schemaName: string): boolean => schemas.has(toShortName(schemaName));

/** Where joints are, and what was wrong with their message. */
interface Joints {
  /** Radians or metres by their names; those without a finite one are left out. */
  places: Map<string, number>;
  notes: string[];
}

export function readJoints(value: unknown): Joints {
  const message = readFields(value);
  const places = new Map<string, number>();
  const notes = new Notes();
  const add = (name: unknown, place: unknown) => {
    const number = place === null || place === undefined ? Number.NaN : Number(place);
    if (typeof name !== "string" || name === "") notes.count("joint without a name", "joints without a name");
    else if (Number.isFinite(number)) places.set(name, number);
    else if (place !== null && place !== undefined)
      notes.count("joint whose place is no number", "joints whose place is no number");
  };
  if ("joints" in message) {
    for (const each of Array.from(readList(message, "joints"))) {
      const joint = readFields(each);
      add(readText(joint, "name"), joint.position);
    }
    return { places, notes: notes.list() };
  }
  const [names, positions] = [readList(message, "name"), readList(message, "position")];
  // Of lists of unequal length the shorter one counts.
  for (let at = 0; at < Math.min(names.length, positions.length); at++) add(names[at], positions[at]);
  if (names.length !== positions.length && positions.length > 0)
    notes.add(
      `${countThings(names.length, "name of a joint", "names of joints")}, but ${countThings(positions.length, "position", "positions")}`,
    );
  return { places, notes: notes.list() };
}
