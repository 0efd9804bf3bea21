import type { Outputs } from "@/components/trpc/client";

type Picture = NonNullable<Outputs["alerts"]["capture"]>["pictures"][number];

/** A picture with its number among those of the capture. */
type NumberedPicture = Picture & { index: number };

interface TopicPictures {
  topic: string;
  /** By time. */
  pictures: NumberedPicture[];
  /** The one of the moment itself, else the one before it. */
  atTrigger: NumberedPicture;
}

/** The pictures of each camera by time, the cameras in the order in which they were kept. */
export function toTopicPictures(pictures: readonly Picture[]): TopicPictures[] {
  const byTopic = new Map<string, NumberedPicture[]>();
  for (const [index, picture] of pictures.entries())
    byTopic.set(picture.topic, [...(byTopic.get(picture.topic) ?? []), { ...picture, index }]);
  return [...byTopic].map(([topic, own]) => {
    own.sort((a, b) => Number(BigInt(a.offset_ns) - BigInt(b.offset_ns)));
    const atTrigger = own.findLast(({ offset_ns: offset }) => BigInt(offset) <= 0n) ?? own[0]!;
    return { topic, pictures: own, atTrigger };
  });
}

/** `0.4 s before`, `at the moment`, `1.0 s after`. */
export function describeOffset(offsetNs: string): string {
  const seconds = Number(offsetNs) / 1e9;
  const text = `${Math.abs(seconds).toFixed(1)} s`;
  if (text === "0.0 s") return "at the moment";
  return seconds < 0 ? `${text} before` : `${text} after`;
}
