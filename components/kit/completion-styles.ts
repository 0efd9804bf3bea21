/** How the suggestions of an editor look: as every list that floats. A part of its theme. */
export const completionStyles = {
  ".cm-tooltip.cm-tooltip-autocomplete": {
    border: "none",
    borderRadius: "6px",
    backgroundColor: "var(--raised)",
    color: "var(--foreground)",
    boxShadow: "var(--float-shadow)",
    zIndex: "60",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "inherit",
    maxHeight: "264px",
    padding: "4px",
    maxWidth: "min(480px, calc(100vw - 32px))",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    alignItems: "baseline",
    gap: "12px",
    padding: "4px 8px",
    borderRadius: "4px",
    lineHeight: "20px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--selected)",
    color: "var(--foreground)",
  },
  ".cm-completionLabel": { fontFamily: "var(--font-mono, monospace)", overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-completionDetail": {
    marginLeft: "auto",
    fontStyle: "normal",
    fontSize: "12px",
    color: "var(--muted)",
    fontVariantNumeric: "tabular-nums",
  },
};
