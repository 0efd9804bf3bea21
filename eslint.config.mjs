import coreWebVitals from "eslint-config-next/core-web-vitals";
import typescript from "eslint-config-next/typescript";

const environment = {
  object: "process",
  property: "env",
  message: "Read settings from @/server/env, which checks them all at boot.",
};

/** React's rules compile every component they see, so they look only where there are any. */
const reactFolders = ["app/**/*.{ts,tsx}", "components/**/*.{ts,tsx}"];
const react = coreWebVitals.map((each) => (each.rules ? { ...each, files: reactFolders } : each));

const config = [
  { ignores: [".next/**", "dist/**", ".data/**", ".test/**", "server/database/generated/**", "next-env.d.ts"] },
  ...react,
  // It warns of libraries that React's compiler cannot memoize; we do not use that compiler.
  { files: reactFolders, rules: { "react-hooks/incompatible-library": "off" } },
  ...typescript,
  {
    rules: {
      "no-console": "error",
      "no-restricted-properties": ["error", environment],
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["**/*.ts", "**/*.tsx"],
    // What needs the types of expressions is asked by oxlint (.oxlintrc.json), which knows them in a tenth of the time.
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    // What runs before or beside the server has no settings of ours to go through.
    files: ["scripts/**", "bench/**", "faults/**", "e2e/**", "*.config.*", "server/env.ts", "server/testing/**", "**/*.test.ts"],
    rules: { "no-restricted-properties": "off" },
  },
  {
    files: ["scripts/**", "bench/**", "faults/**", "server/cli/**"],
    rules: { "no-console": "off" },
  },
];

export default config;
