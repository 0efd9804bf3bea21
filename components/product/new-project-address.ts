/** The address of the page that makes a project, of a dataset, of a slice or of any. */
export const newProjectHref = (of: { dataset: string } | { slice: string } | null): string =>
  of === null ? "/projects/new" : `/projects/new?${new URLSearchParams(of).toString()}`;
