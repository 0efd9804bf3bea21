import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import type { Annotations } from "@/engine/messages/annotation";
import { readDetections } from "@/engine/messages/detections";
import { readImageAnnotations } from "@/engine/messages/image-annotations";
import { readImageMarkers } from "@/engine/messages/image-markers";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { detectionSchemas, imageMarkerSchemas, isOverlaySchema } from "@/engine/messages/overlay-schemas";
import { readFields, readList, toShortName, UnreadableMessage, type Fields } from "@/engine/messages/reading";
import { readStamp } from "@/engine/messages/stamp";

/** Draws messages of one moment, of which all have one schema. Throws UnreadableMessage for what they do not hold. */
function readOverlay(schemaName: string, messages: readonly unknown[]): Annotations {
  const name = toShortName(schemaName);
  if (imageMarkerSchemas.includes(name)) return readImageMarkers(schemaName, messages);
  const last = messages.at(-1);
  return detectionSchemas.includes(name) ? readDetections(last) : readImageAnnotations(last);
}

/** The stamp of a message, wherever its schema has it. */
export function findStamp(value: unknown): bigint | null {
  const fields: Fields = readFields(value);
  const own = readStamp(fields);
  if (own !== null) return own;
  for (const name of ["markers", "circles", "points", "texts"]) {
    const first = readList(fields, name)[0];
    if (first !== undefined) return readStamp(readFields(first));
  }
  return null;
}

/** What a topic draws over a picture. */
export interface Overlay extends Annotations {
  topic: string;
  /** Whether it belongs to the picture: it was made within half a period of it. */
  matches: boolean;
}

/** Periods of a topic around the picture that are searched. */
const reach = 5;
const maxMessages = 200;

const apart = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/**
 * What a topic draws over the picture of a moment: the messages whose stamp is nearest to that of the picture. `period`: of
 * the topic, in nanoseconds. Null when there is nothing near.
 */
export async function findOverlay(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { topic, period }: { topic: string; period: bigint },
  picture: { time: bigint; stamp: bigint | null },
  read: (schemaName: string, messages: readonly unknown[]) => Annotations = readOverlay,
): Promise<Overlay | null> {
  const range = { start: picture.time - BigInt(reach) * period, end: picture.time + BigInt(reach) * period };
  const found = (await chunks.listBetween(topic, range, maxMessages)).map((message) => place(message, decoders));
  const wanted = picture.stamp ?? picture.time;
  // Where either says no stamp, the times at which they were logged are compared.
  const getTime = ({ stamp, message }: Placed) =>
    picture.stamp === null ? message.logTime : (stamp ?? message.logTime);
  let best: bigint | null = null;
  for (const each of found) {
    const time = getTime(each);
    if (best === null || apart(time, wanted) < apart(best, wanted)) best = time;
  }
  if (best === null) return null;
  const nearest = best;
  const same = found.filter((each) => getTime(each) === nearest);
  const { schemaName } = same[0]!.message.channel;
  const overlay = read(
    schemaName,
    same.map(({ value }) => value),
  );
  return { ...overlay, topic, matches: apart(nearest, wanted) * 2n <= period };
}

interface Placed {
  message: RawMessage;
  value: unknown;
  stamp: bigint | null;
}

function place(message: RawMessage, decoders: MessageDecoders): Placed {
  if (!isOverlaySchema(message.channel.schemaName))
    throw new UnreadableMessage(`Messages of ${message.channel.schemaName} are not drawn over pictures.`);
  const value = decoders.decode(message);
  return { message, value, stamp: findStamp(value) };
}
