import { z } from "zod";
import {
  AcceptInvitation,
  AddressWish,
  CreateInvitation,
  CreateOrganization,
  DeleteOrganization,
  InvitationFilters,
  InvitationToken,
  InvitationUid,
  MemberFilters,
  MemberUid,
  OrganizationFilters,
  OrganizationSlug,
  SetLogo,
  UpdateMember,
  UpdateOrganization,
} from "@/domain/organizations/schema";
import { acceptInvitation, previewInvitation } from "@/server/features/membership/acceptance-service";
import {
  cancelInvitation,
  invite,
  listInvitations,
  resendInvitation,
} from "@/server/features/membership/invitation-service";
import {
  changeRole,
  leaveOrganization,
  listMembers,
  removeMember,
  transferOwnership,
} from "@/server/features/membership/member-service";
import {
  deleteOrganization,
  listDeletions,
  restoreOrganization,
} from "@/server/features/organizations/deletion-service";
import { setLogo } from "@/server/features/organizations/logo-service";
import {
  createOrganization,
  getOrganization,
  listOrganizations,
  previewSlug,
  updateOrganization,
} from "@/server/features/organizations/service";
import {
  adminProcedure,
  anonymousProcedure,
  memberProcedure,
  ownerProcedure,
  personProcedure,
  router,
  setUpProcedure,
} from "@/server/transport/trpc/init";

// Those that take a context of the organization act in the one chosen in the shell, so their inputs name none.

export const organizations = router({
  list: setUpProcedure.input(OrganizationFilters).query(({ ctx, input }) => listOrganizations(ctx.ctx, input)),
  current: memberProcedure.query(({ ctx }) => getOrganization(ctx.ctx, ctx.session.organizationSlug)),
  previewAddress: personProcedure.input(AddressWish).query(({ ctx, input }) => previewSlug(ctx.person, input.name)),
  create: personProcedure.input(CreateOrganization).mutation(({ ctx, input }) => createOrganization(ctx.person, input)),
  update: adminProcedure
    .input(UpdateOrganization)
    .mutation(({ ctx, input }) => updateOrganization(ctx.ctx, ctx.session.organizationSlug, input)),
  setLogo: adminProcedure
    .input(SetLogo)
    .mutation(({ ctx, input }) => setLogo(ctx.ctx, ctx.session.organizationSlug, input)),
  delete: ownerProcedure
    .input(DeleteOrganization)
    .mutation(({ ctx, input }) => deleteOrganization(ctx.ctx, ctx.session.organizationSlug, input)),
  deletions: personProcedure.query(({ ctx }) => listDeletions(ctx.person)),
  restore: personProcedure
    .input(OrganizationSlug)
    .mutation(({ ctx, input }) => restoreOrganization(ctx.person, input.org_slug)),
  leave: memberProcedure.mutation(({ ctx }) => leaveOrganization(ctx.ctx, ctx.session.organizationSlug)),
  transferOwnership: ownerProcedure
    .input(MemberUid)
    .mutation(({ ctx, input }) => transferOwnership(ctx.ctx, input.uid)),
});

export const members = router({
  list: memberProcedure
    .input(MemberFilters)
    .query(({ ctx, input }) => listMembers(ctx.ctx, ctx.session.organizationSlug, input)),
  changeRole: adminProcedure
    .input(z.object({ ...MemberUid.shape, ...UpdateMember.shape }))
    .mutation(({ ctx, input }) => changeRole(ctx.ctx, ctx.session.organizationSlug, input.uid, input)),
  remove: adminProcedure
    .input(MemberUid)
    .mutation(({ ctx, input }) => removeMember(ctx.ctx, ctx.session.organizationSlug, input.uid)),
});

export const invitations = router({
  list: adminProcedure
    .input(InvitationFilters)
    .query(({ ctx, input }) => listInvitations(ctx.ctx, ctx.session.organizationSlug, input)),
  create: adminProcedure
    .input(CreateInvitation)
    .mutation(({ ctx, input }) => invite(ctx.ctx, ctx.session.organizationSlug, input)),
  resend: adminProcedure
    .input(InvitationUid)
    .mutation(({ ctx, input }) => resendInvitation(ctx.ctx, ctx.session.organizationSlug, input.uid)),
  cancel: adminProcedure
    .input(InvitationUid)
    .mutation(({ ctx, input }) => cancelInvitation(ctx.ctx, ctx.session.organizationSlug, input.uid)),
  preview: anonymousProcedure
    .input(InvitationToken)
    .query(({ ctx, input }) => previewInvitation(ctx.anonymous, input.token)),
  accept: personProcedure
    .input(z.object({ ...InvitationToken.shape, ...AcceptInvitation.shape }))
    .mutation(({ ctx, input }) => acceptInvitation(ctx.person, input.token, input)),
});
