/** The topics of the scene of a file: its points, and the cuboids of people and models. */
export const cloudTopic = "points";
export const shapesTopic = "shapes";
