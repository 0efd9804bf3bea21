/** The colour of a label beside its name. */
export const Swatch = ({ color }: { color: string }) => (
  <span aria-hidden className="size-3 shrink-0 rounded-full border border-border" style={{ backgroundColor: color }} />
);
