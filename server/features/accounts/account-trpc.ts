import {
  AddressWish,
  ChangePassword,
  DeleteAccount,
  LinkToken,
  RequestReset,
  ResetPassword,
  SessionUid,
  SignUp,
  UpdatePreferences,
  UpdateProfile,
} from "@/domain/organizations/schema";
import { deleteAccount } from "@/server/features/accounts/account-deletion-service";
import {
  changePassword,
  getProfile,
  signOutEverywhere,
  updatePreferences,
  updateProfile,
} from "@/server/features/accounts/account-service";
import { getSignUpPolicy } from "@/server/features/accounts/admission-service";
import {
  isLinkValid,
  requestPasswordReset,
  requestVerification,
  resetPassword,
  verifyEmail,
} from "@/server/features/accounts/mail-link-service";
import { listSessions, revokeOtherSessions, revokeSession } from "@/server/features/accounts/session-service";
import { previewOwnSlug, signUp } from "@/server/features/accounts/signup-service";
import { limitGuesses } from "@/server/transport/trpc/guesses";
import {
  anonymousProcedure,
  memberProcedure,
  ownProcedure,
  personProcedure,
  router,
} from "@/server/transport/trpc/init";

export const account = router({
  signUpPolicy: anonymousProcedure.query(({ ctx }) => getSignUpPolicy(ctx.anonymous)),
  previewAddress: anonymousProcedure.input(AddressWish).query(({ ctx, input }) => previewOwnSlug(ctx.anonymous, input)),
  signUp: anonymousProcedure.input(SignUp).mutation(async ({ ctx, input }) => {
    await limitGuesses("signup", ctx.anonymous.ip ?? "unknown");
    return signUp(ctx.anonymous, input);
  }),
  requestPasswordReset: anonymousProcedure.input(RequestReset).mutation(async ({ ctx, input }) => {
    await limitGuesses("signup", `reset:${ctx.anonymous.ip ?? "unknown"}`);
    await requestPasswordReset(ctx.anonymous, input.email);
  }),
  isResetLinkValid: anonymousProcedure
    .input(LinkToken)
    .query(({ ctx, input }) => isLinkValid(ctx.anonymous, input.token, "reset")),
  resetPassword: anonymousProcedure.input(ResetPassword).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `reset:${ctx.anonymous.ip ?? "unknown"}`);
    await resetPassword(ctx.anonymous, input);
  }),
  verifyEmail: anonymousProcedure
    .input(LinkToken)
    .mutation(({ ctx, input }) => verifyEmail(ctx.anonymous, input.token)),
  requestVerification: ownProcedure.mutation(async ({ ctx }) => {
    await limitGuesses("signup", `verify:${ctx.session.userId}`);
    await requestVerification(ctx.ctx);
  }),
  profile: personProcedure.query(({ ctx }) => getProfile(ctx.person)),
  updateProfile: ownProcedure.input(UpdateProfile).mutation(({ ctx, input }) => updateProfile(ctx.ctx, input)),
  updatePreferences: ownProcedure
    .input(UpdatePreferences)
    .mutation(({ ctx, input }) => updatePreferences(ctx.ctx, input)),
  changePassword: ownProcedure.input(ChangePassword).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `password:${ctx.session.userId}`);
    return changePassword(ctx.ctx, input, ctx.session.uid);
  }),
  delete: personProcedure.input(DeleteAccount).mutation(({ ctx, input }) => deleteAccount(ctx.person, input)),
  sessions: memberProcedure.query(({ ctx }) => listSessions(ctx.ctx, ctx.session.uid)),
  endSession: ownProcedure.input(SessionUid).mutation(({ ctx, input }) => revokeSession(ctx.ctx, input.uid)),
  endOtherSessions: ownProcedure.mutation(({ ctx }) => revokeOtherSessions(ctx.ctx, ctx.session.uid)),
  signOutEverywhere: ownProcedure.mutation(({ ctx }) => signOutEverywhere(ctx.ctx)),
});
