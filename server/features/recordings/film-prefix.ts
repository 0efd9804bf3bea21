/** What the keys of a recording's small pictures begin with. */
export const toFilmPrefix = (organizationId: string, recordingId: string): string =>
  `filmstrips/${organizationId}/${recordingId}/`;
