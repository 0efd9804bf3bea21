import { Plus } from "lucide-react";
import { ButtonLink } from "@/components/kit/button";
import { usePermissions } from "@/components/product/permissions";
import { newProjectHref } from "./query";

/** Leads to the page that makes a project; `dataset` is chosen there already. */
export function NewProjectButton({ dataset }: { dataset?: string }) {
  return (
    <ButtonLink
      variant="primary"
      icon={<Plus aria-hidden />}
      href={newProjectHref(dataset)}
      disabledReason={usePermissions().refusal({ role: "admin" })}
    >
      New project
    </ButtonLink>
  );
}
