import { chooseStamp } from "@/engine/messages/poses/stamp";
import type { Figures, SceneObject, Shape } from "@/engine/messages/scene-object";

/** The object with the moment that its place is of: its stamp, or the log's time where nobody set one. */
export function placeInTime<Object extends SceneObject>(object: Object, logTime: bigint, notes: string[]): Object {
  const stamp = chooseStamp(object.stamp, logTime);
  const say = (text: string) => !notes.includes(text) && notes.push(text);
  if (object.stamp === null) say("its stamp is not set: the time of the log counts");
  else if (stamp !== object.stamp) say("its stamp is of another clock: the time of the log counts");
  if (object.frame === "") say("it names no frame: drawn in the fixed one");
  return { ...object, stamp };
}

/** Objects as another thread takes them: with memory of their own, which goes there with them. */
export function packObjects(objects: readonly SceneObject[]): {
  own: SceneObject[];
  transfers: Transferable[];
  points: number;
} {
  const transfers: Transferable[] = [];
  // Bytes of a message are a view of a whole chunk.
  const copy = <Part extends Uint8Array | Uint32Array | Float32Array>(part: Part): Part => {
    const copied = part.slice();
    transfers.push(copied.buffer);
    return copied as Part;
  };
  let points = 0;
  const own = objects.map((object): SceneObject => {
    switch (object.kind) {
      case "figures":
        return object;
      case "cloud":
        points += object.count;
        return { ...object, data: copy(object.data) };
      case "grid":
        return { ...object, pixels: copy(object.pixels) };
      case "voxels":
        return { ...object, places: copy(object.places), colours: copy(object.colours) };
    }
  });
  return { own, transfers, points };
}

/** Figures without the bytes of meshes that were sent before; those of others count as sent. */
export function omitSent(figures: readonly Figures[], sent: Set<string>): Figures[] {
  const omit = (shape: Shape): Shape => {
    if (shape.kind !== "mesh" || shape.content === null) return shape;
    const { content } = shape;
    if (sent.has(content.key)) return { ...shape, content: { ...content, bytes: null } };
    sent.add(content.key);
    return shape;
  };
  return figures.map((each) => ({ ...each, shapes: each.shapes.map(omit) }));
}
