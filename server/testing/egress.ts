import { afterAll, beforeAll } from "vitest";
import { configureEgress } from "@/server/platform/http-client/settings";

/** Allows outgoing requests to loopback, which are blocked by default, for the tests of a file. */
export function allowLoopback(): void {
  let restore = () => {};
  beforeAll(() => {
    restore = configureEgress({ allow: ["127.0.0.0/8"] });
  });
  afterAll(() => restore());
}
