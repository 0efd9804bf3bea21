export const SeriesPlot = (_: Record<string, unknown>) => null;
