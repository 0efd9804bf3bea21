// `npm run muster -- <command>`: the command line.
import { bootstrapOrExit, root } from "./bootstrap.mjs";

// Files are named relative to where the user stands. npm, which changes the folder itself, tells it in INIT_CWD.
process.env.INIT_CWD ??= process.cwd();
process.chdir(root);
await bootstrapOrExit("server");
process.env.NODE_ENV = "production";
await import("../dist/cli.mjs");
