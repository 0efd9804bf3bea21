type Fields = readonly (readonly [topic: string, field: string, value: number])[];

/** Of `generateRecording`. */
const robotFields: Fields = [
  ["/imu", "linear_acceleration.z", 9.85],
  ["/imu", "angular_velocity.z", 0.9],
  ["/imu", "orientation.w", 0.5],
  ["/motor_0", "temperature", 70],
  ["/motor_1", "current", 2.9],
  ["/motor_2", "rpm", 1900],
  ["/motor_*", "temperature", 74],
];

/** Conditions on a generator's topics: thresholds, frequencies and absences. */
export function fiftyConditions(fields: Fields = robotFields): object[] {
  return Array.from({ length: 50 }, (_, n): object => {
    const [topic, field, value] = fields[n % fields.length]!;
    if (n % 10 === 8) return { type: "frequency", topic, count_operator: "gt", count: 100_000 + n, window: "10s" };
    if (n % 10 === 9) return { type: "absence", topic, timeout: "5s" };
    return { type: "threshold", topic, field, operator: "gt", value: value + n / 1_000, window: "500ms" };
  });
}
