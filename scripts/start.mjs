// `npm start`: set-up, then the product. `npm start -- --role web|worker|all` runs its parts.
import { bootstrapOrExit, root } from "./bootstrap.mjs";
import { buildZstd } from "./native-zstd.mjs";
import { stopWithNpm } from "./stop-with-npm.mjs";

stopWithNpm();
process.chdir(root);
await bootstrapOrExit("product");
process.env.NODE_ENV = "production";
// One malloc arena for all threads of a child: glibc's default of one per thread cost the worker 60 MB more.
process.env.MALLOC_ARENA_MAX ??= "1";
// In the background: the first start works without it.
void buildZstd({ background: true }).then((report) => report && console.warn(report));
await import("../dist/main.mjs");
