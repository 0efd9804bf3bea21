import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { AlertLabels, useAlertLabels } from "./alert-labels";

function Labels({ enabled = true }: { enabled?: boolean }) {
  const labelled = useAlertLabels("alt_1", enabled);
  return <AlertLabels uid="alt_1" labelled={labelled} />;
}

const yard = { uid: "dat_1", name: "Yard", slug: "yard", owner_name: "own" };

test("an alert says what was labelled of its items, with links to them", async () => {
  answer("items.labelsOfAlert", [
    {
      ...yard,
      items: 31,
      labelled: 22,
      labels: [
        { name: "fork lift", color: "#0891b2", count: 2 },
        { name: "pallet", color: null, count: 1 },
      ],
    },
    { ...yard, uid: "dat_2", name: "Gates", slug: "gates", items: 4, labelled: 0, labels: [] },
  ]);
  const shown = await show(<Labels />, "/alerts/alt_1");
  await expect.element(shown.getByRole("list", { name: "Labels" })).toHaveTextContent("fork lift2pallet1");
  const query = "filter_query_string=metadata.source.alert_id+%3D+alt_1";
  const links = shown.getByRole("link").elements();
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["fork lift", `/datasets/own/yard?${query}+AND+label+%3D+%22fork+lift%22`],
    ["pallet", `/datasets/own/yard?${query}+AND+label+%3D+pallet`],
    ["22 of 31 items in Yard", `/datasets/own/yard?${query}`],
    ["0 of 4 items in Gates", `/datasets/own/gates?${query}`],
  ]);
  await expectGoodLooks();
});

test("nothing is asked for an alert without a recording", async () => {
  const shown = await show(<Labels enabled={false} />, "/alerts/alt_1");
  expect(shown.getByRole("link").elements()).toEqual([]);
  expect(listInputs("items.labelsOfAlert")).toEqual([]);
});
