import { ProtectedBySecondFactor, SecondFactorCode, StartSecondFactor } from "@/domain/organizations/second-factor";
import {
  disableSecondFactor,
  enableSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from "@/server/features/accounts/second-factor-service";
import { limitGuesses } from "@/server/transport/trpc/guesses";
import { ownProcedure, router, setUpProcedure } from "@/server/transport/trpc/init";

/** The caller's own second factor. */
export const secondFactor = router({
  state: setUpProcedure.query(({ ctx }) => getSecondFactor(ctx.ctx)),
  start: setUpProcedure.input(StartSecondFactor).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `password:${ctx.session.userId}`);
    return startSecondFactor(ctx.ctx, input);
  }),
  enable: setUpProcedure.input(SecondFactorCode).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `second-factor:${ctx.session.userId}`);
    return enableSecondFactor(ctx.ctx, input.code, ctx.session.uid);
  }),
  disable: ownProcedure.input(ProtectedBySecondFactor).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `password:${ctx.session.userId}`);
    await disableSecondFactor(ctx.ctx, input, ctx.session.uid);
  }),
  renewCodes: ownProcedure.input(ProtectedBySecondFactor).mutation(async ({ ctx, input }) => {
    await limitGuesses("anonymous", `password:${ctx.session.userId}`);
    return renewRecoveryCodes(ctx.ctx, input);
  }),
});
