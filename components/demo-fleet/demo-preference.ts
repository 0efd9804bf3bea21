import type { DemoFilter } from "@/domain/demo/choice";

/** The random end of a uid. */
const endLength = 12;

/** The name of the preference in which a person's choice in an organization is kept. */
export const demoPreference = (userUid: string, organizationUid: string): string =>
  `demo.${organizationUid.slice(-endLength)}.${userUid.slice(-endLength)}`;

/** What an address holds, as queries take it: with the filter in place of the choice that it stands for. */
export const withDemoFilter = <Values extends object>(values: Values, filter: DemoFilter) => ({
  ...values,
  demo: filter.demo ?? null,
});
