import config from "./playwright.config";

/** `npm run screenshots`: the same product as the tests', with the demo fleet in it. */
export default { ...config, testMatch: "screenshots.ts", reporter: [["line"]] as [["line"]] };
