import { isLoadFailure } from "@/components/kit/part-loading";

export interface PageFailureProps {
  /** What was thrown; of an error on the server only its digest is known. */
  error: unknown;
  /** Renders the page again, with its data fetched anew. */
  retry: () => void;
}

/** What the server's log has beside an error of its own; undefined for errors of the browser. */
export const readDigest = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "digest" in error && typeof error.digest === "string"
    ? error.digest
    : undefined;

/** What a page that failed shows: what is the matter, and what to name in a report of it. */
export function describePageFailure(error: unknown): { description: string; reference: string } {
  const digest = readDigest(error);
  if (digest !== undefined)
    return {
      description:
        "What you did before is saved. Try again; if it fails again, the reference below finds the fault in the server's log.",
      reference: digest,
    };
  const reference = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (isLoadFailure(error))
    return {
      description:
        "A part of it could not be loaded. What you did before is saved; Reload asks the server for all of it.",
      reference,
    };
  return {
    description:
      "What you did before is saved. It failed in this browser, not on the server; if it fails again, report what is below.",
    reference,
  };
}
