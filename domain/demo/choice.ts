/** What an organization with demo data shows: the demo fleet, what is its own, or both. */
export const demoChoices = ["demo", "yours", "both"] as const;
export type DemoChoice = (typeof demoChoices)[number];

/** Whether there is anything to choose between, and whether a device of one's own has reported. */
export interface DemoPresence {
  present: boolean;
  own_reports: boolean;
}

/** The filter `demo` of every list and count. */
export type DemoFilter = { readonly demo?: "true" | "false" };

/** By choice, as queries take it. Each is one object, so that it can be what an effect depends on. */
export const demoFilters: Readonly<Record<DemoChoice, DemoFilter>> = {
  demo: { demo: "true" },
  yours: { demo: "false" },
  both: {},
};

/** Addresses once had the filter itself. */
const earlier: Readonly<Record<string, DemoChoice>> = { true: "demo", false: "yours" };

/** The choice that a text of an address or a cookie holds; null for any other text. */
export const parseDemoChoice = (text: string | null | undefined): DemoChoice | null =>
  demoChoices.find((choice) => choice === text) ?? earlier[text ?? ""] ?? null;

/** What is shown to those who chose nothing: one's own, once a device of one's own reports. */
export const defaultDemoChoice = ({ present, own_reports: reports }: DemoPresence): DemoChoice =>
  present && reports ? "yours" : "both";

/** What is shown: what the address says, else what was remembered, else the default. Without demo data, all there is. */
export function chooseDemo(
  presence: DemoPresence,
  inAddress: string | null | undefined,
  remembered: string | undefined,
): DemoChoice {
  if (!presence.present) return "both";
  return parseDemoChoice(inAddress) ?? parseDemoChoice(remembered) ?? defaultDemoChoice(presence);
}
