import { AssignMember } from "@/domain/organizations/assignment";
import {
  CreateProject,
  ProjectMemberFilters,
  ProjectMemberUid,
  ProjectUid,
  SetProjectPerson,
  UpdateProject,
} from "@/domain/projects/schema";
import { StepOfProject } from "@/domain/projects/screen-schema";
import { assignMember, listAssigned, unassignMember } from "@/server/features/membership/assignment-service";
import { stepProject } from "@/server/features/projects/lifecycle-service";
import { listProjectPeople, removeProjectPerson, setProjectPerson } from "@/server/features/projects/people-service";
import { createProject, getProject, updateProject } from "@/server/features/projects/service";
import type { Ctx } from "@/server/platform/context";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

const find = async (ctx: Ctx, uid: string) => ({
  kind: "project" as const,
  uid,
  name: (await getProject(ctx, uid)).name,
});

export const projects = router({
  create: adminProcedure.input(CreateProject).mutation(({ ctx, input }) => createProject(ctx.ctx, input)),
  step: adminProcedure
    .input(StepOfProject)
    .mutation(({ ctx, input: { uid, step } }) => stepProject(ctx.ctx, uid, step)),
  update: adminProcedure
    .input(ProjectUid.extend({ change: UpdateProject }))
    .mutation(({ ctx, input: { uid, change } }) => updateProject(ctx.ctx, ctx.session.organizationSlug, uid, change)),
  people: router({
    list: memberProcedure
      .input(ProjectUid.extend(ProjectMemberFilters.shape))
      .query(({ ctx, input: { uid, ...page } }) => listProjectPeople(ctx.ctx, uid, page)),
    set: adminProcedure
      .input(ProjectUid.extend(SetProjectPerson.shape))
      .mutation(({ ctx, input: { uid, ...person } }) => setProjectPerson(ctx.ctx, uid, person)),
    remove: adminProcedure
      .input(ProjectMemberUid)
      .mutation(({ ctx, input }) => removeProjectPerson(ctx.ctx, input.uid, input.user_uid)),
  }),
  members: router({
    list: adminProcedure
      .input(ProjectUid.extend(ProjectMemberFilters.shape))
      .query(async ({ ctx, input: { uid, ...page } }) => listAssigned(ctx.ctx, await find(ctx.ctx, uid), page)),
    add: adminProcedure
      .input(ProjectUid.extend(AssignMember.shape))
      .mutation(async ({ ctx, input }) => assignMember(ctx.ctx, await find(ctx.ctx, input.uid), input)),
    remove: adminProcedure
      .input(ProjectMemberUid)
      .mutation(async ({ ctx, input }) => unassignMember(ctx.ctx, await find(ctx.ctx, input.uid), input.user_uid)),
  }),
});
