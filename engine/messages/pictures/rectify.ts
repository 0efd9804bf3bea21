import { checkCalibratedSize, Lens, type Calibration } from "@/engine/messages/pictures/camera-model";

/** For each pixel of the rectified picture the place in the picture that is seen there: x and y in turn, in pixels. */
export type RectifyMap = Float32Array;

/** Throws UnreadableMessage for a picture of another size than the calibration is for. */
export function createRectifyMap(calibration: Calibration, width: number, height: number): RectifyMap {
  checkCalibratedSize(calibration, width, height);
  const { rectified, rotation } = calibration;
  const [r0 = 1, r1 = 0, r2 = 0, r3 = 0, r4 = 1, r5 = 0, r6 = 0, r7 = 0, r8 = 1] = rotation;
  const map = new Float32Array(2 * width * height);
  const lens = new Lens(calibration);
  for (let v = 0, at = 0; v < height; v++) {
    const y = (v - rectified.cy) / rectified.fy;
    for (let u = 0; u < width; u++, at += 2) {
      const x = (u - rectified.cx) / rectified.fx;
      // Turned back by the transposed matrix.
      const depth = r2 * x + r5 * y + r8;
      if (depth > 0) lens.look((r0 * x + r3 * y + r6) / depth, (r1 * x + r4 * y + r7) / depth);
      map[at] = depth > 0 ? lens.u : -1e6;
      map[at + 1] = depth > 0 ? lens.v : -1e6;
    }
  }
  return map;
}

/** Fills the rectified picture from the picture, between pixels in proportion; what it does not show is left transparent. */
export function rectifyPixels(
  map: RectifyMap,
  from: Uint8ClampedArray,
  into: Uint8ClampedArray,
  width: number,
  height: number,
): void {
  const [lastX, lastY] = [width - 1, height - 1];
  for (let at = 0, pixel = 0; at < map.length; at += 2, pixel += 4) {
    const [x, y] = [map[at]!, map[at + 1]!];
    if (!(x >= -0.5 && y >= -0.5 && x <= lastX + 0.5 && y <= lastY + 0.5)) {
      into[pixel + 3] = 0;
      continue;
    }
    const [nearX, nearY] = [Math.min(lastX, Math.max(0, x)), Math.min(lastY, Math.max(0, y))];
    const [left, top] = [
      Math.min(Math.max(0, lastX - 1), Math.floor(nearX)),
      Math.min(Math.max(0, lastY - 1), Math.floor(nearY)),
    ];
    const [partX, partY] = [nearX - left, nearY - top];
    const first = 4 * (top * width + left);
    const right = lastX > 0 ? 4 : 0;
    const below = lastY > 0 ? 4 * width : 0;
    for (let channel = 0; channel < 4; channel++) {
      const place = first + channel;
      const upper = from[place]! * (1 - partX) + from[place + right]! * partX;
      const lower = from[place + below]! * (1 - partX) + from[place + below + right]! * partX;
      into[pixel + channel] = upper * (1 - partY) + lower * partY;
    }
  }
}
