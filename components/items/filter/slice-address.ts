/** The address of the page that makes a slice, filled with what is known of it. */
export function newSliceHref(of: { dataset?: string; filter?: string; name?: string; description?: string }): string {
  const { dataset = "", filter = "", name = "", description = "" } = of;
  const values = Object.entries({ dataset, filter_query_string: filter, name, description });
  const query = new URLSearchParams(values.filter(([, value]) => value !== "")).toString();
  return query === "" ? "/slices/new" : `/slices/new?${query}`;
}
