import type { TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import type { AppRouter } from "@/server/composition/trpc-root";

let pending = 0;

/** Whether a change that this page asked for has not been answered yet. */
export const isMutating = (): boolean => pending > 0;

/** Counts the mutations under way, each until the page has had the time to take its answer. */
export const countMutations: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) => {
    if (op.type !== "mutation") return next(op);
    return observable((observer) => {
      pending += 1;
      const subscription = next(op).subscribe(observer);
      return () => {
        subscription.unsubscribe();
        setTimeout(() => (pending -= 1));
      };
    });
  };
