import { Plus } from "lucide-react";
import { ButtonLink } from "@/components/kit/button";
import { newProjectHref } from "@/components/product/new-project-address";
import { usePermissions } from "@/components/product/permissions";

/** Leads to the page that makes a project; `dataset` is chosen there already. */
export function NewProjectButton({ dataset }: { dataset?: string }) {
  return (
    <ButtonLink
      variant="primary"
      icon={<Plus aria-hidden />}
      href={newProjectHref(dataset === undefined ? null : { dataset })}
      disabledReason={usePermissions().refusal({ role: "admin" })}
    >
      New project
    </ButtonLink>
  );
}
