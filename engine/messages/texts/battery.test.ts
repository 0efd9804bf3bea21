import { expect, test } from "vitest";
import { isBatterySchema, readBattery } from "@/engine/messages/texts/battery";

const battery = {
  voltage: 24.5,
  temperature: Number.NaN,
  current: -1.25,
  percentage: 0.75,
  power_supply_status: 2,
  power_supply_health: 1,
  power_supply_technology: 3,
  present: true,
};

test("a battery has words for its constants, and nothing for what is NaN", () => {
  expect(readBattery(battery)).toEqual({
    percent: 75,
    isOutOfScale: false,
    voltage: 24.5,
    current: -1.25,
    temperature: null,
    status: "discharging",
    health: "good",
    technology: "LiPo",
    isPresent: true,
  });
  // As JSON has what it cannot write.
  expect(readBattery({ ...battery, percentage: "NaN" }).percent).toBeNull();
  expect(readBattery({ ...battery, present: false }).isPresent).toBe(false);
});

test.each([
  [75, 75, true],
  [100, 100, true],
  [1.2, 100, false],
  [0, 0, false],
  [-1, null, false],
  [6_553.5, null, true],
])("a percentage of %d is %s percent", (percentage, percent, isOutOfScale) => {
  expect(readBattery({ ...battery, percentage })).toMatchObject({ percent, isOutOfScale });
});

test("the sign of the current says what an unknown status does not, and an unknown constant is its number", () => {
  const unknown = { ...battery, power_supply_status: 0 };
  expect(readBattery(unknown).status).toBe("discharging");
  expect(readBattery({ ...unknown, current: 2 }).status).toBe("charging");
  expect(readBattery({ ...unknown, current: 0 }).status).toBeNull();
  expect(readBattery({ ...battery, power_supply_health: 42 }).health).toBe("42");
});

test("is recognised by its type in ROS 1 and ROS 2", () => {
  expect(["sensor_msgs/BatteryState", "sensor_msgs/msg/BatteryState", "pkg/BatteryState"].map(isBatterySchema)).toEqual(
    [true, true, false],
  );
});
