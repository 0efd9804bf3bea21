import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import type { Annotations } from "@/engine/messages/pictures/annotation";
import { readDetections } from "@/engine/messages/pictures/detections";
import { readImageAnnotations } from "@/engine/messages/pictures/image-annotations";
import { readImageMarkers } from "@/engine/messages/pictures/image-markers";
import { detectionSchemas, imageMarkerSchemas, isOverlaySchema } from "@/engine/messages/pictures/overlay-schemas";
import { readStamp } from "@/engine/messages/poses/stamp";
import { readFields, readList, toShortName, UnreadableMessage, type Fields } from "@/engine/messages/reading";

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
  /** Whether it belongs to the picture: it was made within half a period of it, or is held. */
  matches: boolean;
}

/** Periods of a topic around the picture that are searched. */
const reach = 5;
const maxMessages = 200;

const apart = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** A topic that is drawn over pictures. In nanoseconds. */
interface OverlayTopic {
  topic: string;
  /** Between two of its messages. */
  period: bigint;
  /** How long after their time they stay; null for those that are nearest to the picture, before or after it. */
  hold: bigint | null;
}

/**
 * What a topic draws over the picture of a moment: the messages whose stamp is nearest to that of the picture, or the last
 * ones up to it while they are held. Null when there are none.
 */
export async function findOverlay(
  chunks: ChunkReader,
  decoders: MessageDecoders,
  { topic, period, hold }: OverlayTopic,
  picture: { time: bigint; stamp: bigint | null },
  read: (schemaName: string, messages: readonly unknown[]) => Annotations = readOverlay,
): Promise<Overlay | null> {
  const range = { start: picture.time - BigInt(reach) * period, end: picture.time + BigInt(reach) * period };
  const list = async (within: TimeRange) =>
    (await chunks.listBetween(topic, within, maxMessages)).map((message) => place(message, decoders));
  let found = await list(range);
  const wanted = picture.stamp ?? picture.time;
  // Where either says no stamp, the times at which they were logged are compared.
  const getTime = ({ stamp, message }: Placed) =>
    picture.stamp === null ? message.logTime : (stamp ?? message.logTime);
  if (hold !== null) {
    found = found.filter((each) => (getTime(each) - wanted) * 2n <= period);
    const before = found.length > 0 ? null : await chunks.findLatest(topic, range.start);
    if (before !== null) found = await list({ start: before.logTime, end: before.logTime });
  }
  let best: bigint | null = null;
  for (const each of found) {
    const time = getTime(each);
    if (best === null || apart(time, wanted) < apart(best, wanted)) best = time;
  }
  if (best === null) return null;
  const nearest = best;
  const isOwn = apart(nearest, wanted) * 2n <= period;
  if (hold !== null && !isOwn && wanted - nearest > hold) return null;
  const same = found.filter((each) => getTime(each) === nearest);
  const { schemaName } = same[0]!.message.channel;
  const overlay = read(
    schemaName,
    same.map(({ value }) => value),
  );
  return { ...overlay, topic, matches: isOwn || hold !== null };
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
