/** What is kept of heartbeats. */
export const healthLimits = {
  /** Metrics of one heartbeat, of a device over time, and of an organization. */
  perHeartbeat: 64,
  perDevice: 256,
  perOrganization: 2_000,
  textLength: 200,
  /** Metrics that a response names as ignored. */
  ignored: 100,
  /** Metrics that the list of devices has as columns. */
  columns: 6,
  /** Up to this many devices the list is sorted by a metric, which has no index. */
  sortedDevices: 10_000,
  /** How late a heartbeat may be for its metrics to be kept. */
  lateDays: 7,
} as const;

/** The name of a metric, with dots where the heartbeat had objects. */
export const metricName = /^[A-Za-z0-9_.-]{1,64}$/;
