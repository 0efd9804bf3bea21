/** Says what a number counts where a phone shows no heading above it. */
export function NarrowNoun({ count, one, many = `${one}s` }: { count: number; one: string; many?: string }) {
  return <span className="text-muted sm:hidden"> {count === 1 ? one : many}</span>;
}
