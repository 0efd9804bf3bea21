/** Letters that no accent makes of Latin ones, in order, with what they are written as. */
const letters: readonly (readonly [from: string, to: string])[] = [
  ["ßæœøđðþłħıŋ", "ss ae oe o d d th l h i ng"],
  // Russian, Ukrainian, Belarusian, Serbian and Macedonian; hard and soft signs have no sound.
  [
    "абвгґдђеєжзѕиіјйклљмнњопрстћуўфхцчџшщъыьэюя",
    "a b v g g d dj e ye zh z dz i i j y k l lj m n nj o p r s t c u u f kh ts ch dz sh shch  y  e yu ya",
  ],
  ["αβγδεζηθικλμνξοπρσςτυφχψω", "a v g d e z i th i k l m n x o p r s s t y f ch ps o"],
];

const written: ReadonlyMap<string, string> = new Map(
  letters.flatMap(([from, to]) => {
    const parts = to.split(" ");
    return [...from].map((letter, at) => [letter, parts[at] ?? ""] as const);
  }),
);

/** Lower-case text without accents, its Cyrillic and Greek letters as Latin ones; those of other scripts stay. */
export const toLatin = (text: string): string =>
  [
    ...text
      .normalize("NFKD")
      .replace(/\p{M}+/gu, "")
      .toLowerCase(),
  ]
    .map((letter) => written.get(letter) ?? letter)
    .join("");
