// `npm run muster -- <command>`: the command line.
import { bootstrapOrExit, root } from "./bootstrap.mjs";

// File arguments are relative to the user's working directory, which npm changes and passes on in INIT_CWD.
process.env.INIT_CWD ??= process.cwd();
process.chdir(root);
await bootstrapOrExit("server");
process.env.NODE_ENV = "production";
await import("../dist/cli.mjs");
