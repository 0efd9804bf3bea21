import config from "./playwright.config";

/** `npm run screenshots`: the same product as the tests', with the demo fleet in it. */
const screenshots = { ...config, testMatch: "screenshots.ts", reporter: [["line"]] as [["line"]] };

export default screenshots;
