import { writeBag, type BagOptions } from "@/engine/testing/write-bag";

const channels = [
  {
    topic: "/a",
    messageEncoding: "ros1",
    schemaName: "std_msgs/Float64",
    schemaEncoding: "ros1msg",
    schema: "float64 data\n",
  },
];

/** The chunk of one connection and three messages that `threeMessages` has, compressed by bzip2. */
const compressed =
  "QlpoOTFBWSZTWd661acAAEp/gP7yAgRhgMcCwQAAAK+nziAAQCAAlAlFMkxoCekekaAyGnqZBKUBqMno01GIYAAFAeEdBiMUpUCeU3dD0DWr" +
  "BiLJlAgEojiA4ojrq06tRePCGMJ8WxqJ0XoeIGgZEUVcz61u2GTKKGVr+GxMApm7aMS2M7Kn42TDkir5I623Itu4N7VDUkgG4HEobKX2Pe/a" +
  "8JXJUqSU5/xdyRThQkN661ac";

function threeMessages(options: BagOptions): Buffer {
  const messages = [0, 1, 2].map((i) => {
    const data = Buffer.alloc(8);
    data.writeDoubleLE(i * 1.5);
    return { topic: "/a", time: BigInt(1 + i) * 1_000_000_000n + 5n, data };
  });
  return writeBag(channels, messages, options);
}

/** One and the same bag of three numbers, uncompressed and compressed by bzip2. */
export const plainBag = (): Buffer => threeMessages({});
export const bz2Bag = (): Buffer =>
  threeMessages({ compression: "bz2", compress: () => Buffer.from(compressed, "base64") });
