/** Styles shared by every control that holds a value: 32 px high, hairline, critical border while invalid. */
export const controlStyles =
  "rounded-panel border border-border-strong bg-raised text-foreground transition-colors " +
  "hover:not-disabled:not-data-disabled:border-subtle " +
  "data-invalid:border-critical aria-invalid:border-critical disabled:cursor-not-allowed disabled:opacity-60 " +
  "data-disabled:cursor-not-allowed data-disabled:opacity-60 [&[readonly]]:border-border [&[readonly]]:bg-transparent";

/** Styles of everything that floats: menus, lists, popovers. */
export const popupStyles =
  "rounded-panel bg-raised text-foreground shadow-float outline-none " +
  "transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0";

/** One line in a floating list. */
export const optionStyles =
  "flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 py-1 text-table outline-none select-none " +
  "data-highlighted:bg-hover data-disabled:text-subtle data-disabled:opacity-60 [&_svg]:size-4 [&_svg]:shrink-0";
