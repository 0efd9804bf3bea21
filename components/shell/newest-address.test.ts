import { expect, it } from "vitest";
import { keepNewest } from "./newest-address";

const at = (address: string) => `https://muster.example${address}`;
const router = { tree: "of the router" };

function open(address: string) {
  const shown = { href: at(address) };
  const write: History["replaceState"] = (_state, _unused, url) => {
    shown.href = new URL(url ?? "", shown.href).href;
  };
  const history = { replaceState: write, pushState: write };
  const person = { leaves: false };
  keepNewest(
    history,
    () => shown.href,
    () => person.leaves,
  );
  return { shown, history, person };
}

it("keeps the router from taking back an address that was replaced while it rendered", () => {
  const { shown, history } = open("/sql");
  history.replaceState(null, "", "?sql=a");
  history.replaceState(null, "", "?sql=ab");
  for (const rendered of ["/sql", "/sql?sql=a"]) {
    history.replaceState(router, "", rendered);
    expect(shown.href).toBe(at("/sql?sql=ab"));
  }
  history.replaceState(router, "", "/sql?sql=ab");
  expect(shown.href).toBe(at("/sql?sql=ab"));
});

it("lets the router go wherever it is sent, and back", () => {
  const { shown, history } = open("/sql");
  history.replaceState(null, "", "?sql=a");
  history.replaceState(router, "", "/sql?sql=a");
  history.replaceState(router, "", "/sql");
  expect(shown.href).toBe(at("/sql"));
  history.replaceState(null, "", "?sql=a");
  history.pushState(router, "", "/overview");
  history.replaceState(router, "", "/sql");
  expect(shown.href).toBe(at("/sql"));
  // What was written before is written again.
  history.pushState(null, "", "?sql=a");
  history.replaceState(null, "", "?sql=");
  history.replaceState(null, "", "?sql=a");
  history.replaceState(router, "", "/sql?sql=a");
  expect(shown.href).toBe(at("/sql?sql=a"));
});

it("is in force once, however often it is asked for", () => {
  const { history } = open("/sql");
  const { replaceState } = history;
  keepNewest(
    history,
    () => at("/sql"),
    () => false,
  );
  expect(history.replaceState).toBe(replaceState);
});

it("writes no address that waited when somebody set out for another page, and lets the router go there", () => {
  const { shown, history, person } = open("/sql");
  person.leaves = true;
  history.replaceState(null, "", "?sql=a");
  expect(shown.href).toBe(at("/sql"));
  history.pushState(router, "", "/overview");
  expect(shown.href).toBe(at("/overview"));
  person.leaves = false;
  history.replaceState(null, "", "?range=7d");
  expect(shown.href).toBe(at("/overview?range=7d"));
});
