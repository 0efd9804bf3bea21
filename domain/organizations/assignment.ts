import { z } from "zod";
import { choice, nonBlank } from "@/domain/fields";

/** Who sees a dataset or a project: every member of the organization, or only assigned members and admins. */
export const accesses = ["organization", "assigned"] as const;
export const Access = choice(accesses);

/** The member to assign: the user's uid or username. */
export const AssignMember = z.object({ user: nonBlank(255).describe("The uid or username of a member.") });
export type AssignMember = z.output<typeof AssignMember>;
