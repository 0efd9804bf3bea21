import sharp from "sharp";

/** A picture of one colour. */
export const pictureFile = (value: number, width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: value, g: 120, b: 200 } } })
    .png()
    .toBuffer();

/** A cloud of 400 points, 20 m by 20 m, as a PCD file; or each of them so many times. */
export function cloudFile(times = 1): Buffer {
  const count = 400 * times;
  const head = `VERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH ${count}\nHEIGHT 1\nPOINTS ${count}\nDATA binary\n`;
  const points = new Float32Array(count * 4);
  for (let at = 0; at < count; at++) {
    const of = Math.floor(at / times);
    points.set([of % 20, Math.floor(of / 20), Math.sin(of / 9), of], at * 4);
  }
  return Buffer.concat([Buffer.from(head), Buffer.from(points.buffer)]);
}
