import type { Metadata } from "next";
import { ButtonLink } from "@/components/kit/button";
import { Standalone } from "@/components/shell/standalone";

export const metadata: Metadata = { title: "Not found" };

export default function NotFoundPage() {
  return (
    <Standalone
      title="Page not found"
      description="It does not exist, was deleted, or belongs to an organization you are not a member of."
    >
      <ButtonLink href="/" variant="primary">
        Go to the start page
      </ButtonLink>
    </Standalone>
  );
}
