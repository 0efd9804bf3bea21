import type { ReactNode } from "react";
import { Mark } from "./mark";

export interface StandaloneProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** A line below, such as "No account yet? Sign up". */
  footer?: ReactNode;
}

/** The frame of pages outside the shell: sign-in, sign-up, invitations, errors. */
export function Standalone({ title, description, children, footer }: StandaloneProps) {
  return (
    <main className="flex min-h-dvh flex-col items-center bg-background px-4 py-10 sm:pt-[14dvh]">
      <div className="w-full max-w-90">
        <div className="mb-6 flex items-center gap-2">
          <Mark />
          <span className="text-body font-semibold">Muster</span>
        </div>
        <h1 className="text-title font-semibold tracking-[-0.01em]">{title}</h1>
        {description !== undefined && <p className="mt-1 text-body text-muted">{description}</p>}
        <div className="mt-6">{children}</div>
        {footer !== undefined && <p className="mt-6 text-table text-muted">{footer}</p>}
      </div>
    </main>
  );
}
