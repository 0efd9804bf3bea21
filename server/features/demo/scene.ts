import type { RobotKind } from "@/server/features/demo/story";

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

/** The warehouse in metres: three racks along x with aisles between them, inside four walls. */
const hall = { x: 15, y: 11, height: 5 } as const;
const racks = { from: -10, to: 10, middles: [-6, 0, 6], half: 1, height: 3.6 } as const;
/** Pallets that stand at the edges of the aisles. */
const pallets: readonly (readonly [x: number, y: number])[] = [
  [-8, -1.5],
  [-3, -4.5],
  [1, -1.5],
  [5, -4.5],
  [8.5, -1.5],
  [13.4, -3.5],
  [13.4, 1],
  [7, 4.5],
  [3, 1.5],
  [-1, 4.5],
  [-5, 1.5],
  [-9, 4.5],
  [-13.4, 2],
  [-13.4, -2.5],
];
const palletSize = { half: 0.55, height: 1.15 } as const;

const isRack = (x: number, y: number): boolean =>
  x > racks.from && x < racks.to && racks.middles.some((middle) => Math.abs(y - middle) < racks.half);

/** Where a ray from the robot meets something: its distance, the place along the surface, and what it is. */
interface Hit {
  distance: number;
  along: number;
  rack: boolean;
  /** Surfaces across x are a little darker. */
  side: boolean;
}

/** The nearest of the surfaces that a ray crosses; surfaces lie on whole metres. */
function castRay(x: number, y: number, dx: number, dy: number): Hit {
  const step = (from: number, by: number) => (by > 0 ? Math.floor(from) + 1 : Math.ceil(from) - 1);
  let nextX = step(x, dx);
  let nextY = step(y, dy);
  for (;;) {
    const toX = dx === 0 ? Infinity : (nextX - x) / dx;
    const toY = dy === 0 ? Infinity : (nextY - y) / dy;
    const side = toX < toY;
    const distance = side ? toX : toY;
    const [atX, atY] = [x + dx * (distance + 1e-4), y + dy * (distance + 1e-4)];
    const beyond = Math.abs(atX) >= hall.x || Math.abs(atY) >= hall.y;
    if (beyond || isRack(atX, atY)) return { distance, along: side ? atY : atX, rack: !beyond, side };
    if (side) nextX += Math.sign(dx);
    else nextY += Math.sign(dy);
  }
}

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

const eyeHeight = 0.9;
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
  const [ahead, aside] = [Math.cos(view.yaw), Math.sin(view.yaw)];
  const depths = new Float64Array(width);
  hallTextures ??= {
    rack: new Texture(hall.x, hall.height, 0.025, rackColor),
    floor: new Texture(hall.x, hall.y, 0.03, floorColor),
    ceiling: new Texture(hall.x, hall.y, 0.1, ceilingColor),
  };
  const { rack, floor, ceiling } = hallTextures;
  for (let column = 0; column < width; column++) {
    const slope = (width / 2 - column - 0.5) / focal;
    const [dx, dy] = [ahead - aside * slope, aside + ahead * slope];
    const hit = castRay(view.x, view.y, dx, dy);
    depths[column] = hit.distance;
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
  }
  for (const { pallet, ...place } of palletsInView(view)) drawPallet(canvas, depths, place, pallet);
}

interface Place {
  depth: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The pallets before the camera, the farthest first. */
function palletsInView(view: View): (Place & { pallet: number })[] {
  const [ahead, aside] = [Math.cos(view.yaw), Math.sin(view.yaw)];
  return pallets
    .map(([x, y], pallet) => {
      const depth = (x - view.x) * ahead + (y - view.y) * aside;
      const across = (y - view.y) * ahead - (x - view.x) * aside;
      const middle = width / 2 - (focal * across) / depth;
      const half = (focal * palletSize.half) / depth;
      const bottom = horizon + (focal * eyeHeight) / depth;
      return {
        pallet,
        depth,
        left: middle - half,
        right: middle + half,
        top: bottom - (focal * palletSize.height) / depth,
        bottom,
      };
    })
    .filter(({ depth, left, right }) => depth > 0.8 && right > 0 && left < width)
    .sort((a, b) => b.depth - a.depth);
}

function drawPallet(
  canvas: Canvas,
  depths: Float64Array,
  { depth, left, right, top, bottom }: Place,
  pallet: number,
): void {
  const carton = cardboards[pallet % cardboards.length]!;
  for (let column = Math.max(0, Math.ceil(left)); column < Math.min(width, right); column++) {
    if ((depths[column] ?? 0) < depth) continue;
    const across = (column - left) / (right - left);
    for (let row = Math.max(0, Math.ceil(top)); row < Math.min(height, bottom); row++) {
      const down = (row - top) / (bottom - top);
      const wood = down > 0.87;
      const gap = wood && down > 0.91 && down < 0.97 && Math.abs(across * 3 - Math.round(across * 3)) > 0.16;
      const seam = !wood && (Math.abs(across - 0.5) < 0.012 || Math.abs(down - 0.45) < 0.012);
      const color: Color = gap ? 0x2e2822 : wood ? 0x966e42 : seam ? 0x604830 : carton;
      canvas.set(column, row, color, fog(depth) * 1.06);
    }
  }
}

/** The row at which the robot's bumper begins. */
const bumper = height - 15;

/** The boxes around the pallets that a mobile robot's picture shows, as a person would draw them. */
export function visiblePallets(view: View): Box[] {
  const [ahead, aside] = [Math.cos(view.yaw), Math.sin(view.yaw)];
  return palletsInView(view).flatMap(({ depth, left, right, top, bottom }) => {
    const box = { x: Math.max(0, left), y: Math.max(0, top), width: 0, height: 0 };
    box.width = Math.min(width, right) - box.x;
    box.height = Math.min(bumper, bottom) - box.y;
    const slope = (width / 2 - (left + right) / 2) / focal;
    const hit = castRay(view.x, view.y, ahead - aside * slope, aside + ahead * slope);
    return hit.distance > depth && box.width >= 4 && box.height >= 4 ? [box] : [];
  });
}

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
