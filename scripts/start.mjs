// `npm start`: set-up, then the product. `npm start -- --role web|worker|all` runs its parts.
import { bootstrapOrExit, root } from "./bootstrap.mjs";

process.chdir(root);
await bootstrapOrExit("product");
process.env.NODE_ENV = "production";
await import("../dist/main.mjs");
