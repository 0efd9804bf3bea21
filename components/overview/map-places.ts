/** A device's mark on the map, in px. */
interface Place {
  x: number;
  y: number;
}

/** Marks nearer than this would lie on each other. */
const nearest = 15;
/** Distance between the marks of a fan, and between its rings. */
const fanStep = 16;

/**
 * Marks that would lie on each other are fanned out around their middle, so that each can be seen and pressed; others
 * stay where they are. `anchor` is the true place of a mark that was moved.
 */
export function spreadPlaces<Item extends Place>(items: readonly Item[]): (Item & { anchor: Place | null })[] {
  const clusters: { x: number; y: number; members: Item[] }[] = [];
  for (const item of items) {
    const near = clusters.find((each) => Math.hypot(each.x - item.x, each.y - item.y) < nearest);
    if (near) near.members.push(item);
    else clusters.push({ x: item.x, y: item.y, members: [item] });
  }
  return clusters.flatMap(({ x, y, members }): (Item & { anchor: Place | null })[] => {
    if (members.length === 1) return members.map((item) => ({ ...item, anchor: null }));
    return members.map((item, at) => {
      const { ring, angle } = ringPlace(at, members.length);
      const distance = ring * fanStep;
      return { ...item, x: x + distance * Math.cos(angle), y: y + distance * Math.sin(angle), anchor: { x, y } };
    });
  });
}

/** The ring of a fan, from 1, and the angle on it: rings hold six marks more each, as many as fit beside each other. */
function ringPlace(at: number, count: number): { ring: number; angle: number } {
  let [ring, first] = [1, 0];
  while (at >= first + ring * 6) {
    first += ring * 6;
    ring++;
  }
  const onRing = Math.min(ring * 6, count - first);
  return { ring, angle: (2 * Math.PI * (at - first)) / onRing - Math.PI / 2 };
}

/** Width in px of a letter of a label (11 px), its height, and the gap to its mark. */
const [letter, high, gap] = [6.2, 13, 10];

/**
 * Which marks have room for their name, and on which side: names never lie on each other or on another mark. Earlier
 * items are named first.
 */
export function placeNames(
  items: readonly (Place & { name: string })[],
  area: { width: number; height: number },
): ("right" | "left" | null)[] {
  const taken = items.map(({ x, y }) => ({ left: x - 8, right: x + 8, top: y - 8, bottom: y + 8 }));
  return items.map(({ x, y, name }, own) => {
    const wide = name.length * letter;
    for (const side of ["right", "left"] as const) {
      const left = side === "right" ? x + gap : x - gap - wide;
      const box = { left, right: left + wide, top: y - high / 2, bottom: y + high / 2 };
      const inside = box.left >= 0 && box.right <= area.width && box.top >= 0 && box.bottom <= area.height;
      const isFree = taken.every(
        (each, at) =>
          at === own ||
          each.right <= box.left ||
          each.left >= box.right ||
          each.bottom <= box.top ||
          each.top >= box.bottom,
      );
      if (!inside || !isFree) continue;
      taken.push(box);
      return side;
    }
    return null;
  });
}
