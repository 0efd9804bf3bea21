/** A dash where there is no value; the second line of a phone row leaves it out. */
export function None() {
  return (
    <span data-none className="text-subtle">
      <span aria-hidden>–</span>
      <span className="sr-only">None</span>
    </span>
  );
}
