/** How a value becomes a colour. */
export const colourScales = ["turbo", "viridis", "grey"] as const;
export type ColourScale = (typeof colourScales)[number];

/** Colours at equal distances, between which others are interpolated: red, green, blue of each. */
const stops: Readonly<Record<ColourScale, readonly (readonly [number, number, number])[]>> = {
  // Google's Turbo and matplotlib's viridis at every sixteenth.
  turbo: [
    [48, 18, 59],
    [64, 64, 162],
    [70, 107, 227],
    [65, 150, 255],
    [40, 188, 235],
    [24, 219, 197],
    [50, 242, 152],
    [109, 254, 97],
    [164, 252, 60],
    [205, 236, 52],
    [238, 207, 58],
    [253, 171, 51],
    [251, 126, 33],
    [234, 79, 13],
    [209, 48, 5],
    [169, 21, 1],
    [122, 4, 3],
  ],
  viridis: [
    [68, 1, 84],
    [72, 24, 106],
    [71, 45, 123],
    [66, 64, 134],
    [59, 82, 139],
    [51, 99, 141],
    [44, 114, 142],
    [38, 130, 142],
    [33, 145, 140],
    [31, 160, 136],
    [40, 174, 128],
    [63, 188, 115],
    [94, 201, 98],
    [132, 212, 75],
    [173, 220, 48],
    [216, 226, 25],
    [253, 231, 37],
  ],
  grey: [
    [0, 0, 0],
    [255, 255, 255],
  ],
};

const tables = new Map<ColourScale, Uint32Array>();

/** 256 colours as opaque pixels (red in the lowest byte). */
export function getColours(scale: ColourScale): Uint32Array {
  const known = tables.get(scale);
  if (known !== undefined) return known;
  const list = stops[scale];
  const table = Uint32Array.from({ length: 256 }, (_, at) => {
    const place = (at / 255) * (list.length - 1);
    const below = Math.min(list.length - 2, Math.floor(place));
    const part = (index: number): number => {
      const [from, to] = [list[below]![index]!, list[below + 1]![index]!];
      return Math.round(from + (to - from) * (place - below));
    };
    return (0xff000000 | (part(2) << 16) | (part(1) << 8) | part(0)) >>> 0;
  });
  tables.set(scale, table);
  return table;
}
