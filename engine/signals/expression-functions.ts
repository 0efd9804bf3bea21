/** A function of the values at one moment. */
interface Elementwise {
  /** How many values it takes. */
  least: number;
  most: number;
  compute: (values: Float64Array) => number;
  /** The unit of its result: that of its values, one of its own, or none that is plain. */
  unit?: string;
  /** Takes a field that holds these, such as an orientation, instead of single values. */
  members?: { needed: readonly string[]; optional: readonly string[] };
  says: string;
}

const one = (
  compute: (value: number) => number,
  rest: Omit<Elementwise, "least" | "most" | "compute">,
): Elementwise => ({
  least: 1,
  most: 1,
  compute: (values) => compute(values[0]!),
  ...rest,
});

/** Halves away from zero, as in C and Python's decimals; Math.round takes them upwards. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

const turn = 2 * Math.PI;

/** The angle between −π (not included) and π that a difference of two angles stands for. */
function wrap(angle: number): number {
  const rest = angle - turn * Math.round(angle / turn);
  return rest <= -Math.PI ? rest + turn : rest;
}

/** Angles of an orientation x, y, z, w of any length but zero, about the axes z, y, x in this order. */
const orientation = (compute: (x: number, y: number, z: number, w: number) => number, says: string): Elementwise => ({
  least: 4,
  most: 4,
  compute: (values) =>
    values.some((value) => value !== 0) ? compute(values[0]!, values[1]!, values[2]!, values[3]!) : NaN,
  unit: "rad",
  members: { needed: ["x", "y", "z", "w"], optional: [] },
  says,
});

const yaw = (x: number, y: number, z: number, w: number) =>
  Math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z);
const roll = (x: number, y: number, z: number, w: number) =>
  Math.atan2(2 * (w * x + y * z), w * w - x * x - y * y + z * z);
const pitch = (x: number, y: number, z: number, w: number) =>
  Math.asin(Math.min(1, Math.max(-1, (2 * (w * y - z * x)) / (x * x + y * y + z * z + w * w))));

const least = (a: number, b: number) => Math.min(a, b);
const greatest = (a: number, b: number) => Math.max(a, b);
const addSquare = (sum: number, value: number) => sum + value * value;

const several = 16;

export type ElementwiseName =
  | "abs"
  | "min"
  | "max"
  | "sqrt"
  | "sin"
  | "cos"
  | "tan"
  | "asin"
  | "acos"
  | "atan"
  | "atan2"
  | "exp"
  | "log"
  | "floor"
  | "ceil"
  | "round"
  | "deg"
  | "rad"
  | "norm"
  | "yaw"
  | "pitch"
  | "roll"
  | "diff_angle";

/** Every function of the values at one moment. */
export const elementwise: Record<ElementwiseName, Elementwise> = {
  abs: one(Math.abs, { unit: "same", says: "without its sign" }),
  min: {
    least: 1,
    most: several,
    compute: (values) => values.reduce(least),
    unit: "same",
    says: "the least of several",
  },
  max: {
    least: 1,
    most: several,
    compute: (values) => values.reduce(greatest),
    unit: "same",
    says: "the greatest of several",
  },
  sqrt: one(Math.sqrt, { says: "square root" }),
  sin: one(Math.sin, { says: "sine of radians" }),
  cos: one(Math.cos, { says: "cosine of radians" }),
  tan: one(Math.tan, { says: "tangent of radians" }),
  asin: one(Math.asin, { unit: "rad", says: "inverse sine" }),
  acos: one(Math.acos, { unit: "rad", says: "inverse cosine" }),
  atan: one(Math.atan, { unit: "rad", says: "inverse tangent" }),
  atan2: {
    least: 2,
    most: 2,
    compute: (values) => Math.atan2(values[0]!, values[1]!),
    unit: "rad",
    says: "angle of the place (y, x)",
  },
  exp: one(Math.exp, { says: "e to this power" }),
  log: one(Math.log, { says: "natural logarithm" }),
  floor: one(Math.floor, { unit: "same", says: "the next whole number below" }),
  ceil: one(Math.ceil, { unit: "same", says: "the next whole number above" }),
  round: one(round, { unit: "same", says: "the nearest whole number" }),
  deg: one((value) => (value * 180) / Math.PI, { unit: "°", says: "radians in degrees" }),
  rad: one((value) => (value * Math.PI) / 180, { unit: "rad", says: "degrees in radians" }),
  norm: {
    least: 1,
    most: several,
    compute: (values) => Math.sqrt(values.reduce(addSquare, 0)),
    unit: "same",
    members: { needed: ["x", "y"], optional: ["z", "w"] },
    says: "length of a vector",
  },
  yaw: orientation(yaw, "heading of an orientation"),
  pitch: orientation(pitch, "pitch of an orientation"),
  roll: orientation(roll, "roll of an orientation"),
  diff_angle: {
    least: 2,
    most: 2,
    compute: (values) => wrap(values[0]! - values[1]!),
    unit: "rad",
    says: "difference of two angles, at most half a turn",
  },
};
