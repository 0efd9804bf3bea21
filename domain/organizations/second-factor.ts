import { z } from "zod";
import { text } from "@/domain/fields";

/** How many recovery codes a person gets. */
export const recoveryCodeCount = 10;

/** A code of an authenticator app or a recovery code, as typed. */
const code = z
  .string()
  .refine((value) => value.trim() !== "", { error: "Enter a code.", abort: true })
  .pipe(text(64));

const password = text(4_096).optional();

/** The password is needed unless the account has none. */
export const StartSecondFactor = z.object({ password });
export type StartSecondFactor = z.output<typeof StartSecondFactor>;

export const SecondFactorCode = z.object({ code });

/** A change for which a session alone is not enough. */
export const ProtectedBySecondFactor = z.object({ password, code });
export type ProtectedBySecondFactor = z.output<typeof ProtectedBySecondFactor>;
