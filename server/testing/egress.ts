import { afterAll, beforeAll } from "vitest";
import { configureEgress } from "@/server/platform/http-client/settings";

/** Lets requests go out to this machine for the tests of a file; elsewhere that is refused. */
export function allowLoopback(): void {
  let restore = () => {};
  beforeAll(() => {
    restore = configureEgress({ allow: ["127.0.0.0/8"] });
  });
  afterAll(() => restore());
}
