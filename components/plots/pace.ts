/** Milliseconds between two changes of a text that moves with the playhead: more often nobody reads it. */
export const readableMs = 100;

/** A listener that is called at once, then at most every `ms` milliseconds, and once more after the last call. */
export function pace(listener: () => void, ms: number): { call: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  const run = () => {
    isDue = false;
    listener();
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) run();
    }, ms);
  };
  return {
    call: () => {
      if (timer === undefined) run();
      else isDue = true;
    },
    stop: () => clearTimeout(timer),
  };
}
