import type * as jobHandlers from "@/server/composition/job-handlers";
import type * as restApp from "@/server/composition/rest-app";
import type * as signIn from "@/server/composition/sign-in";
import type * as trpcRoot from "@/server/composition/trpc-root";

interface Composition {
  "job-handlers": typeof jobHandlers;
  "rest-app": typeof restApp;
  "sign-in": typeof signIn;
  "trpc-root": typeof trpcRoot;
}

/**
 * Loads a module that joins all features, when a test first needs it. Its name is computed, because an import that tools
 * can follow would make every change reach every test that sends a request.
 */
export const compose = <Name extends keyof Composition>(name: Name): Promise<Composition[Name]> =>
  import(/* @vite-ignore */ `@/server/composition/${name}`);
