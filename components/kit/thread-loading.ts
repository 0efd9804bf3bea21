import workers from "@/public/engine/workers.json";
import { missingScript } from "./later-script";
import { noteIfGone } from "./part-loading";

/** Whether an error says that the script of a thread cannot be loaded. */
export const isMissing = (error: unknown): error is Error => error instanceof Error && error.message === missingScript;

/**
 * Resolves as `work` of a thread does. Rejects where the script of that name cannot be loaded: the thread would never answer. To
 * be called when it begins.
 */
export function unlessMissing<Result>(
  name: keyof typeof workers,
  worker: Worker,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    worker.addEventListener("error", (event) => {
      // What goes wrong inside of a thread that runs has a message, and is that thread's own matter.
      if (event instanceof ErrorEvent) return;
      void noteIfGone(workers[name]);
      reject(new Error(missingScript));
    });
    work.then(resolve, reject);
  });
}
