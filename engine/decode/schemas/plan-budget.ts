import { RecordingError } from "@/engine/formats/recording-error";

/** Types of robots take some hundred visits; hostile ones have exponentially many ways to their fields. */
const maxVisits = 50_000;

/**
 * Bounds one walk over the type of a topic, before the first look at any clock: whatever visits the fields of a type
 * counts them here. What can be remembered of a type should be, so that no type of a robot comes near the limit.
 */
export class PlanBudget {
  private left = maxVisits;

  /** Throws a RecordingError beyond the limit. */
  visit(fields = 1): void {
    this.left -= fields;
    if (this.left < 0) throw new RecordingError("The schema repeats and nests its types too often to be read.");
  }
}

/**
 * Remembers what was made of a type for as long as that type is, the reason why it could not be made too. Channels that
 * share a schema share its types. What it returns must not be changed.
 */
export function oncePerType<Type extends object, Made>(make: (type: Type) => Made): (type: Type) => Made {
  const known = new WeakMap<Type, { made: Made } | { error: RecordingError }>();
  return (type) => {
    let found = known.get(type);
    if (found === undefined) {
      try {
        found = { made: make(type) };
      } catch (error) {
        if (!(error instanceof RecordingError)) throw error;
        found = { error };
      }
      known.set(type, found);
    }
    if ("error" in found) throw found.error;
    return found.made;
  };
}

/** Makes something with the first use, and remembers it, or the reason why it could not be made. */
export function once<Made>(make: () => Made): () => Made {
  const key = {};
  const made = oncePerType(make);
  return () => made(key);
}
