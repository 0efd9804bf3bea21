"use client";

import { Button } from "@/components/kit/button";
import { Dialog } from "@/components/kit/dialog";
import { usePermissions } from "@/components/product/permissions";
import { ProjectAccess } from "@/components/projects/project-access";
import type { Outputs } from "@/components/trpc/client";

/** Who sees a project, in a dialog. */
export function ProjectAccessDialog({
  project,
  onClose,
}: {
  project: Outputs["datasets"]["projects"]["results"][number];
  onClose: () => void;
}) {
  const reason = usePermissions().refusal({ role: "admin" });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Who sees ${project.name}`}
      description={reason}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <ProjectAccess project={project} />
    </Dialog>
  );
}
