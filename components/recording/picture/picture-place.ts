/** Where a picture lies in its panel. Null: as large as it fits, in the middle. */
export interface PicturePlace {
  /** Pixels of the screen for one of the picture. */
  scale: number;
  /** The point of the picture in the middle of the panel. */
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}
interface Point {
  x: number;
  y: number;
}

/** What is to be placed, and where. */
export interface PictureFrame {
  panel: Size;
  picture: Size;
  /** Degrees clockwise. */
  rotation: number;
  mirrored: boolean;
}

const maxScale = 64;

/** The directions of the picture's axes on the screen: mirrored first, then turned. */
function findAxes({ rotation, mirrored }: PictureFrame): readonly [ax: number, ay: number, bx: number, by: number] {
  const angle = (rotation * Math.PI) / 180;
  const [cosine, sine] = [Math.round(Math.cos(angle)), Math.round(Math.sin(angle))];
  const across = mirrored ? -1 : 1;
  return [cosine * across, sine * across, -sine, cosine];
}

/** The place at which all of the picture is seen. */
export function fitPlace({ panel, picture, rotation }: PictureFrame): PicturePlace {
  const isTurned = rotation % 180 !== 0;
  const [across, down] = isTurned ? [picture.height, picture.width] : [picture.width, picture.height];
  const scale = Math.min(panel.width / across, panel.height / down) || 1;
  return { scale: Number.isFinite(scale) ? scale : 1, x: picture.width / 2, y: picture.height / 2 };
}

/** The matrix of a place, as style sheets have it. */
export function toMatrix(frame: PictureFrame, place: PicturePlace): string {
  const { panel } = frame;
  const { scale, x, y } = place;
  const [ax, ay, bx, by] = findAxes(frame);
  const left = panel.width / 2 - scale * (ax * x + bx * y);
  const top = panel.height / 2 - scale * (ay * x + by * y);
  return `matrix(${[scale * ax, scale * ay, scale * bx, scale * by, left, top].map((part) => Number(part.toFixed(4))).join(", ")})`;
}

/** The point of the picture at a point of the panel; fractions of a pixel included. */
export function toPicturePoint(frame: PictureFrame, place: PicturePlace, at: Point): Point {
  const [ax, ay, bx, by] = findAxes(frame);
  const [dx, dy] = [(at.x - frame.panel.width / 2) / place.scale, (at.y - frame.panel.height / 2) / place.scale];
  // The axes are at right angles and of length 1.
  return { x: place.x + ax * dx + ay * dy, y: place.y + bx * dx + by * dy };
}

/** Enlarges by a factor around a point of the panel, which goes on showing the same point of the picture. */
export function zoomPlace(frame: PictureFrame, place: PicturePlace, at: Point, factor: number): PicturePlace {
  const fit = fitPlace(frame).scale;
  const scale = Math.min(Math.max(place.scale * factor, Math.min(fit, 1) / 2), Math.max(maxScale, fit));
  const under = toPicturePoint(frame, place, at);
  const moved = toPicturePoint(frame, { ...place, scale }, at);
  return { scale, x: place.x + under.x - moved.x, y: place.y + under.y - moved.y };
}

/** Moves by pixels of the screen. */
export function movePlace(frame: PictureFrame, place: PicturePlace, dx: number, dy: number): PicturePlace {
  const { width, height } = frame.panel;
  const { x, y } = toPicturePoint(frame, place, { x: width / 2 - dx, y: height / 2 - dy });
  const within = (value: number, end: number) => Math.min(end, Math.max(0, value));
  return { scale: place.scale, x: within(x, frame.picture.width), y: within(y, frame.picture.height) };
}
