import sharp from "sharp";
import { expect, test } from "vitest";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { toItemFile } from "@/server/features/moments/item-file";

test.each(["jpeg", "png", "webp"] as const)(
  "a %s picture of a moment has the pixels that panels and annotations mean, whatever turn it says",
  async (format) => {
    const pixels = Buffer.alloc(12 * 8 * 3, 90);
    const turned = sharp(pixels, { raw: { width: 12, height: 8, channels: 3 } }).withMetadata({ orientation: 6 });
    const data = await turned.toFormat(format).toBuffer();
    expect((await sharp(data).metadata()).orientation).toBe(6);
    const message = { format, data: data.toString("base64") };
    const { bytes } = await toItemFile(new MessageDecoders(), {
      channel: {
        id: 0,
        topic: "/camera",
        messageEncoding: "json",
        schemaName: "foxglove.CompressedImage",
        schemaEncoding: "",
        schemaData: new Uint8Array(0),
      },
      logTime: 0n,
      publishTime: 0n,
      sequence: 0,
      data: Buffer.from(JSON.stringify(message)),
    });
    const { orientation, width, height } = await sharp(bytes).metadata();
    expect([orientation, width, height]).toEqual([undefined, 12, 8]);
  },
);
