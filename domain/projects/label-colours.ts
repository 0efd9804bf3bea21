/** Colours offered for labels: each stands out from light and from dark pages, and from its neighbours here. */
export const labelColours = [
  { name: "Cyan", value: "#0891b2" },
  { name: "Orange", value: "#ea580c" },
  { name: "Green", value: "#16a34a" },
  { name: "Violet", value: "#8b5cf6" },
  { name: "Pink", value: "#db2777" },
  { name: "Blue", value: "#2563eb" },
  { name: "Ochre", value: "#a16207" },
  { name: "Slate", value: "#64748b" },
] as const;

/** The least contrast at which a mark stands out from what is around it. */
const leastContrast = 3;
/** What marks of a label lie on in the two themes. */
const pages = [
  { name: "light", color: "#ffffff" },
  { name: "dark", color: "#1b1f23" },
] as const;

/** The share of light that a colour, `#rrggbb`, gives back, 0 to 1. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours as WCAG defines it, 1 to 21. */
export function contrastBetween(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

/** Where a colour is hard to see, and how far it is from that there; null where it is seen everywhere. */
export function findWeakContrast(color: string): { page: "light" | "dark"; contrast: number } | null {
  const found = pages.map(({ name, color: page }) => ({ page: name, contrast: contrastBetween(color, page) }));
  return found.find(({ contrast }) => contrast < leastContrast) ?? null;
}

/** The first offered colour that the fewest labels have. */
export function pickColour(used: readonly string[]): string {
  const counts = labelColours.map(({ value }) => ({ value, count: used.filter((each) => each === value).length }));
  return counts.reduce((best, next) => (next.count < best.count ? next : best)).value;
}
