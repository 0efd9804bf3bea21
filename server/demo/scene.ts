import type { RobotKind } from "@/server/demo/story";
import { castPallets, castRay, hall, palletSize, racks, type PalletHit } from "@/server/demo/warehouse";

/** The size of the pictures in pixels. */
export const pictureSize = { width: 256, height: 192 } as const;
const { width, height } = pictureSize;

/** Where the camera is: metres in the frame of the robot's pose, and its heading in radians. */
export interface View {
  x: number;
  y: number;
  z: number;
  yaw: number;
  /** The battery's charge, 0 to 1, shown by the lamps on the robot's bumper. */
  charge: number;
  /** Whether the emergency stop is pressed: the lamps are red then. */
  stopped: boolean;
}

/** A rectangle in the picture, in pixels from the top left. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** 0xrrggbb: a number, because a picture has 49,152 of them. */
type Color = number;

const gray = (shade: number): Color => (shade << 16) | (shade << 8) | (shade + 3);

/** A number in [0, 1) that belongs to a place. */
function placeNumber(a: number, b: number): number {
  let mixed = Math.imul(a | 0, 0x27d4eb2d) ^ Math.imul(b | 0, 0x165667b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 4_294_967_296;
}

/** Colours of a surface, computed once: every picture looks up tens of thousands. */
class Texture {
  private readonly colors: Int32Array;
  private readonly across: number;
  private readonly down: number;

  /** The surface from `-reachX` to `reachX` and from `-reachY` to `reachY`, in cells of so many metres. */
  constructor(
    private readonly reachX: number,
    private readonly reachY: number,
    private readonly cell: number,
    colorOf: (x: number, y: number) => Color,
  ) {
    this.across = Math.ceil((2 * reachX) / cell);
    this.down = Math.ceil((2 * reachY) / cell);
    this.colors = new Int32Array(this.across * this.down);
    for (let row = 0; row < this.down; row++)
      for (let column = 0; column < this.across; column++)
        this.colors[row * this.across + column] = colorOf((column + 0.5) * cell - reachX, (row + 0.5) * cell - reachY);
  }

  at(x: number, y: number): Color {
    const column = Math.floor((x + this.reachX) / this.cell);
    const row = Math.floor((y + this.reachY) / this.cell);
    const inside = column >= 0 && column < this.across && row >= 0 && row < this.down;
    return inside ? this.colors[row * this.across + column]! : outside;
  }
}

/** What lies beyond a texture. */
const outside: Color = 0x55783e;

const cardboards: readonly Color[] = [0xb08454, 0x9e7446, 0xc49c6c, 0x788a96];

/** The colour of a rack at a height: beams and uprights with boxes between them, some places empty. */
function rackColor(along: number, z: number): Color {
  const level = Math.floor(z / 1.2);
  const inLevel = z - level * 1.2;
  const inBay = along - Math.floor(along / 2.5) * 2.5;
  if (inLevel < 0.12) return 0xd66e26;
  if (inBay < 0.1) return 0x2c4e80;
  const slot = Math.floor(along / 0.83);
  const filled = placeNumber(slot, level + 7);
  if (filled < 0.25 || inLevel > 0.5 + 0.6 * filled) return 0x282a2e;
  const edge = along - slot * 0.83;
  if (edge < 0.04) return 0x46382a;
  return cardboards[Math.floor(filled * 97) % cardboards.length]!;
}

function floorColor(x: number, y: number): Color {
  const aside = Math.abs(y);
  const lane = Math.min(Math.abs(aside - 1.3), Math.abs(aside - 4.7), Math.abs(aside - 7.3));
  if (lane < 0.05 && Math.abs(x) < 10.4) return 0xceb034;
  const joint = Math.min(Math.abs(x - Math.round(x / 4) * 4), Math.abs(y - Math.round(y / 4) * 4));
  const shade = 112 + 10 * placeNumber(Math.floor(x * 2), Math.floor(y * 2)) - (joint < 0.03 ? 18 : 0);
  return gray(shade);
}

const ceilingColor = (x: number, y: number): Color =>
  Math.abs(y - Math.round(y / 6) * 6) < 0.25 && Math.abs(x - Math.round(x / 4) * 4) < 1.2 ? 0xf4f6f0 : 0x3a3e44;

let hallTextures: { rack: Texture; floor: Texture; ceiling: Texture } | undefined;
let ground: Texture | undefined;

/** The height of the camera, metres above the ground. */
export const eyeHeight = 0.9;
/** Pixels per unit of the tangent: about 68° across. */
const focal = width / 1.36;
const horizon = Math.floor(height * 0.46);

/** Draws into RGB pixels. */
class Canvas {
  readonly pixels = new Uint8Array(width * height * 3);

  set(column: number, row: number, color: Color, light = 1): void {
    const at = 3 * (row * width + column);
    this.pixels[at] = (color >> 16) * light;
    this.pixels[at + 1] = ((color >> 8) & 255) * light;
    this.pixels[at + 2] = (color & 255) * light;
  }

  fill(x: number, y: number, across: number, down: number, color: Color): void {
    for (let row = y; row < y + down; row++)
      for (let column = x; column < x + across; column++) this.set(column, row, color);
  }

  /** The robot's edge with ten lamps for its charge. */
  drawLamps(top: number, { charge, stopped }: View, frame: Color): void {
    this.fill(0, top, width, height - top, frame);
    const lit = Math.max(1, Math.round(charge * 10));
    const color: Color = stopped || lit <= 2 ? 0xe84034 : lit <= 4 ? 0xf0b22c : 0x48ce68;
    for (let n = 0; n < 10; n++) this.fill(width / 2 - 79 + n * 16, top + 5, 12, 5, n < lit ? color : 0x383c40);
  }
}

const fog = (distance: number): number => 1 / (1 + 0.045 * distance);

/** What the camera of a mobile robot sees in the warehouse. */
function drawHall(canvas: Canvas, view: View): void {
  hallTextures ??= {
    rack: new Texture(hall.x, hall.height, 0.025, rackColor),
    floor: new Texture(hall.x, hall.y, 0.03, floorColor),
    ceiling: new Texture(hall.x, hall.y, 0.1, ceilingColor),
  };
  const { rack, floor, ceiling } = hallTextures;
  for (let column = 0; column < width; column++) {
    const [dx, dy] = direct(view, column);
    const hit = castRay(view.x, view.y, dx, dy);
    const top = hit.rack ? racks.height : hall.height;
    const light = fog(hit.distance) * (hit.side ? 0.82 : 1);
    for (let row = 0; row < height; row++) {
      const rise = (horizon - row - 0.5) / focal;
      const z = eyeHeight + rise * hit.distance;
      if (z >= 0 && z <= top) {
        const color: Color = hit.rack ? rack.at(hit.along, z) : z < 1 ? 0x606870 : 0xa8aeb2;
        canvas.set(column, row, color, light);
        continue;
      }
      const distance = (rise < 0 ? -eyeHeight : hall.height - eyeHeight) / rise;
      // Above a rack the next surface is not searched for: the ceiling is drawn there.
      const x = view.x + dx * distance;
      const y = view.y + dy * distance;
      canvas.set(column, row, rise < 0 ? floor.at(x, y) : ceiling.at(x, y), fog(distance));
    }
    for (const pallet of castPallets(view.x, view.y, dx, dy))
      if (pallet.distance < hit.distance) drawPalletColumn(canvas, column, pallet);
  }
}

/** The direction in which a column of the picture looks; its length along the camera's axis is 1. */
function direct({ yaw }: View, column: number): readonly [dx: number, dy: number] {
  const [ahead, aside] = [Math.cos(yaw), Math.sin(yaw)];
  const slope = (width / 2 - column - 0.5) / focal;
  return [ahead - aside * slope, aside + ahead * slope];
}

/** The rows between which a pallet at a distance is seen. */
function findPalletRows(distance: number): { top: number; bottom: number } {
  const bottom = horizon + (focal * eyeHeight) / distance;
  return { top: bottom - (focal * palletSize.height) / distance, bottom };
}

function drawPalletColumn(canvas: Canvas, column: number, { pallet, distance, across, side }: PalletHit): void {
  const carton = cardboards[pallet % cardboards.length]!;
  const { top, bottom } = findPalletRows(distance);
  const light = Math.min(1, fog(distance) * (side ? 1.06 : 0.9));
  for (let row = Math.max(0, Math.round(top)); row < Math.min(height, bottom); row++) {
    const down = (row - top) / (bottom - top);
    const wood = down > 0.87;
    const gap = wood && down > 0.91 && down < 0.97 && Math.abs(across * 3 - Math.round(across * 3)) > 0.16;
    const seam = !wood && (Math.abs(across - 0.5) < 0.012 || Math.abs(down - 0.45) < 0.012);
    const color: Color = gap ? 0x2e2822 : wood ? 0x966e42 : seam ? 0x604830 : carton;
    canvas.set(column, row, color, light);
  }
}

/** The row at which the robot's bumper begins. */
const bumper = height - 15;

/** The boxes around the pallets that a mobile robot's picture shows, as a person would draw them. */
export function visiblePallets(view: View): Box[] {
  const seen = new Map<number, { first: number; last: number; top: number; bottom: number }>();
  for (let column = 0; column < width; column++) {
    const [dx, dy] = direct(view, column);
    const nearest = castPallets(view.x, view.y, dx, dy).at(-1);
    if (!nearest || nearest.distance > castRay(view.x, view.y, dx, dy).distance) continue;
    const { top, bottom } = findPalletRows(nearest.distance);
    const box = seen.get(nearest.pallet) ?? { first: column, last: column, top, bottom };
    seen.set(nearest.pallet, {
      first: box.first,
      last: column,
      top: Math.min(box.top, top),
      bottom: Math.max(box.bottom, bottom),
    });
  }
  return [...seen.values()].flatMap(({ first, last, top, bottom }) => {
    const y = Math.max(0, top);
    const box = { x: first, y, width: last - first + 1, height: Math.min(bumper, bottom) - y };
    // Of what is smaller, a person would not see that it is a pallet.
    const isClear = box.width >= 6 && box.height >= 6 && box.width * box.height >= 75;
    return isClear ? [box] : [];
  });
}

/** What a camera's calibration says: pinhole, without distortion, in pixels from the middle of the first one. */
export const calibrations: Readonly<Record<"hall" | "ground", { fx: number; fy: number; cx: number; cy: number }>> = {
  hall: { fx: focal, fy: focal, cx: width / 2 - 0.5, cy: horizon - 0.5 },
  ground: { fx: focal, fy: focal, cx: width / 2 - 0.5, cy: height / 2 - 0.5 },
};

/** The ground below the drone: a roof with solar panels, a yard with lanes, and grass. */
function groundColor(x: number, y: number): Color {
  if (Math.abs(x) < 14 && Math.abs(y) < 9) {
    if (Math.abs(x) > 13.5 || Math.abs(y) > 8.5) return 0xced0cc;
    const bayX = x - Math.floor(x / 3.5) * 3.5;
    const bayY = y - Math.floor(y / 4.25) * 4.25;
    if (bayX < 2.9 && bayY < 3.4) {
      const line = bayX % 0.97 < 0.08 || bayY % 0.85 < 0.08;
      return line ? 0x788498 : 0x1e2c54;
    }
    return 0x94928e;
  }
  if (Math.abs(x) < 22 && Math.abs(y) < 16) {
    if (Math.abs(Math.abs(y) - 12.5) < 0.1 && (x + 100) % 3 < 1.6) return 0xe2e0d6;
    const shade = 84 + 8 * placeNumber(Math.floor(x), Math.floor(y));
    return gray(shade);
  }
  const tint = placeNumber(Math.floor(x / 1.5), Math.floor(y / 1.5));
  return ((70 + 26 * tint) << 16) | ((108 + 24 * tint) << 8) | (58 + 12 * tint);
}

/** How steeply the drone's camera looks down, in radians. */
const tilt = 0.95;

/** What the camera of a drone sees of the ground. */
function drawGround(canvas: Canvas, view: View): void {
  const [ahead, aside, sine, cosine] = [Math.cos(view.yaw), Math.sin(view.yaw), Math.sin(tilt), Math.cos(tilt)];
  ground ??= new Texture(60, 60, 0.1, groundColor);
  for (let row = 0; row < height; row++) {
    const up = (height / 2 - row - 0.5) / focal;
    const reach = view.z / (sine - up * cosine);
    const forward = reach * (cosine + up * sine);
    const light = 0.7 + 0.3 / (1 + 0.01 * reach);
    for (let column = 0; column < width; column++) {
      const left = (reach * (width / 2 - column - 0.5)) / focal;
      const x = view.x + forward * ahead - left * aside;
      const y = view.y + forward * aside + left * ahead;
      canvas.set(column, row, ground.at(x, y), light);
    }
  }
}

/** The picture of a robot's camera as RGB pixels, the same for the same view. */
export function drawScene(robot: RobotKind, view: View): Uint8Array {
  const canvas = new Canvas();
  if (robot === "drone") drawGround(canvas, view);
  else drawHall(canvas, view);
  canvas.drawLamps(bumper, view, robot === "drone" ? 0x1e2024 : 0x26282c);
  return canvas.pixels;
}
