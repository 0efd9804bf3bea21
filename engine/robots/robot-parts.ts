/** What is drawn of a robot's links: what they look like, or what they collide with. */
export const robotParts = ["visual", "collision"] as const;
export type RobotPart = (typeof robotParts)[number];
