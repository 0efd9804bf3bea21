// Loaded into the tested server before its own code: pages that a browser opens all get the nonce of the first one. A
// browser compiles a script once for each nonce, so it would compile all scripts again for every page of the tests.
// Other clients get a nonce for each response, which serving.spec.ts checks.
import http from "node:http";

let first;
const withFirst = (policy) => String(policy).replace(/(?<='nonce-)[^']+/g, (nonce) => (first ??= nonce));

/** Replaces what the server writes to a header of the request, from which Next takes the nonce. */
function rewriteWrites(headers, name, rewrite) {
  let value = headers[name];
  const set = (written) => (value = rewrite(written));
  Object.defineProperty(headers, name, { get: () => value, set, enumerable: true, configurable: true });
}

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...args) {
  const [request, response] = args;
  if (event === "request" && request.headers["sec-fetch-dest"] === "document") {
    rewriteWrites(request.headers, "content-security-policy", withFirst);
    rewriteWrites(request.headers, "x-nonce", (nonce) => first ?? nonce);
    const setHeader = response.setHeader.bind(response);
    response.setHeader = (name, value) =>
      setHeader(name, name === "content-security-policy" ? withFirst(value) : value);
  }
  return emit.call(this, event, ...args);
};
