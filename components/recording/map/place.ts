import { earthRadius, measureDegree } from "@/engine/messages/positions/datum";

/** A point of a plane, in its units east and north. */
export interface Place {
  x: number;
  y: number;
}

const radius = earthRadius;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Degrees between two longitudes by the shorter way. */
const between = (from: number, to: number): number => ((((to - from + 180) % 360) + 360) % 360) - 180;

/** How places on earth lie on a plane. */
export interface Plane {
  /** Metres on earth that a unit of the plane is about its first place. */
  readonly metresPerUnit: number;
  place(latitude: number, longitude: number): Place;
}

/** A plane on which distances around its origin are true; a thousandth off 50 km away. Degrees. */
export class LocalPlane implements Plane {
  readonly metresPerUnit = 1;
  private readonly degree: { north: number; east: number };

  constructor(
    private readonly latitude: number,
    private readonly longitude: number,
  ) {
    this.degree = measureDegree(latitude);
  }

  place(latitude: number, longitude: number): Place {
    return {
      x: between(this.longitude, longitude) * this.degree.east,
      y: (latitude - this.latitude) * this.degree.north,
    };
  }
}

/** Units around the equator of Mercator's plane: metres there. */
export const metresAround = 2 * Math.PI * radius;

/** Mercator's plane of a sphere, as tiles have it. Distances are longer than true away from the equator. */
export class MercatorPlane implements Plane {
  readonly metresPerUnit: number;

  /** The plane of a first place, beside which others lie also across the antimeridian. Degrees. */
  constructor(
    latitude: number,
    private readonly longitude: number,
  ) {
    this.metresPerUnit = Math.cos(toRadians(latitude));
  }

  place(latitude: number, longitude: number): Place {
    return {
      x: radius * toRadians(this.longitude + between(this.longitude, longitude)),
      y: radius * Math.asinh(Math.tan(toRadians(latitude))),
    };
  }
}

/** The place on earth of a point of Mercator's plane, degrees. */
export function toDegrees({ x, y }: Place): { latitude: number; longitude: number } {
  const degrees = 180 / Math.PI;
  return { latitude: Math.atan(Math.sinh(y / radius)) * degrees, longitude: (x / radius) * degrees };
}
