/** A heartbeat with metrics from a terminal. `device`: its uid, or `me` for the device of the token. */
export const heartbeatCommand = (origin: string, device = "me"): string =>
  `curl ${origin}/api/v1/fleet/devices/${device}/heartbeat/ \\
  -H "X-Service-Device-Token: $MUSTER_DEVICE_TOKEN" -H "Content-Type: application/json" \\
  -d '{"metrics": {"battery": 0.87, "charging": false, "mode": "auto"}}'`;
