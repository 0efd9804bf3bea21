const lanes = 16;

/** Runs `work` on every item, a few at once; results in the order of the items. */
export async function severalAtOnce<T, R>(
  items: readonly T[],
  work: (item: T, position: number) => Promise<R>,
  atOnce = lanes,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T, at);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
  return results;
}
