import { Notes } from "@/engine/messages/notes";
import { readPoseIn, toFrame, type Pose } from "@/engine/messages/pose";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, readPart } from "@/engine/messages/reading";

/** Where a frame is, seen from another. */
export interface Transform {
  parent: string;
  child: string;
  /** Nanoseconds since 1970; null when it is not set. */
  stamp: bigint | null;
  pose: Pose;
}

/** The transforms of a message, in its order, and what was wrong with them. Throws UnreadableMessage for none at all. */
export function readTransforms(value: unknown): { transforms: Transform[]; notes: string[] } {
  const notes = new Notes();
  const message = readFields(value);
  const list = "transforms" in message ? Array.from(readList(message, "transforms")) : [message];
  const transforms = list.flatMap((each) => {
    const transform = readTransform(each, notes);
    if (transform === null) return [];
    if (transform.child === "" || transform.parent === "") {
      notes.count("transform without the name of a frame", "transforms without the name of a frame");
      return [];
    }
    return [transform];
  });
  return { transforms, notes: notes.list() };
}

/** Null, and counted, for one that holds what is no number. */
function readTransform(value: unknown, notes: Notes): Transform | null {
  const fields = readFields(value);
  const isRos = "header" in fields;
  const pose = readPoseIn(isRos ? fields.transform : fields, notes);
  if (pose === null) return null;
  return {
    parent: toFrame(isRos ? readPart(fields, "header").frame_id : fields.parent_frame_id),
    child: toFrame(fields.child_frame_id),
    stamp: readStamp(fields),
    pose,
  };
}
