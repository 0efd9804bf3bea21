import { useSyncExternalStore } from "react";

const never = () => () => {};

/** False on the server and in the first frame, where nobody knows the browser's clock. */
export const useInBrowser = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
