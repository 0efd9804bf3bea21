/** A dash where there is no value; hidden in the second line of a phone row. */
export function None() {
  return (
    <span data-none className="text-subtle">
      <span aria-hidden>–</span>
      <span className="sr-only">None</span>
    </span>
  );
}
