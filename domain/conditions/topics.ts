/** Stands for the heartbeats of a device in place of a topic of its recordings; metrics are its fields. */
export const heartbeatTopic = "@heartbeat";
