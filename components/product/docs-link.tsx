import Link from "next/link";
import type { ReactNode } from "react";

/** A link to the documentation, in a line of text. */
export const DocsTextLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} prefetch={false} className="text-accent-text underline underline-offset-2">
    {children}
  </Link>
);
