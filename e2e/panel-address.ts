/** The address of a recording with panels beside each other, in rows of so many, at a moment. */
export function toPanelsAddress(
  uid: string,
  configs: readonly { type: string; config: object }[],
  at: string,
  perRow = 4,
): string {
  const panels = Object.fromEntries(configs.map((config, n) => [`p${n + 1}`, config]));
  const names = Object.keys(panels);
  const share = (items: object[], dir: "row" | "col") =>
    items.length === 1 ? items[0]! : { dir, sizes: items.map(() => 100 / items.length), items };
  const rows: object[] = [];
  for (let at = 0; at < names.length; at += perRow)
    rows.push(
      share(
        names.slice(at, at + perRow).map((panel) => ({ panel })),
        "row",
      ),
    );
  const tree = JSON.stringify({ v: 1, root: share(rows, "col"), panels });
  return `/recordings/${uid}?t=${at}&tree=${encodeURIComponent(tree)}`;
}
