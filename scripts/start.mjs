// `npm start`: set-up, then the product. `npm start -- --role web|worker|all` runs its parts.
import { bootstrapOrExit, root } from "./bootstrap.mjs";
import { stopWithNpm } from "./stop-with-npm.mjs";

stopWithNpm();
process.chdir(root);
await bootstrapOrExit("product");
process.env.NODE_ENV = "production";
// One arena of memory for all threads of a child: glibc otherwise keeps one a thread, which held 60 MB more of the
// worker's memory.
process.env.MALLOC_ARENA_MAX ??= "1";
await import("../dist/main.mjs");
