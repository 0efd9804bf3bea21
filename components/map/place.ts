/** Metres east and north of the origin of a plane that touches the earth there. */
export interface Place {
  x: number;
  y: number;
}

/** The WGS 84 ellipsoid: its greatest radius in metres, and the square of its eccentricity. */
const radius = 6_378_137;
const eccentricity2 = 0.006_694_379_990_14;

const toRadians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Degrees between two longitudes by the shorter way. */
const between = (from: number, to: number): number => ((((to - from + 180) % 360) + 360) % 360) - 180;

/** A plane on which distances around its origin are true; a thousandth off 50 km away. Degrees. */
export class LocalPlane {
  private readonly perLatitude: number;
  private readonly perLongitude: number;

  constructor(
    private readonly latitude: number,
    private readonly longitude: number,
  ) {
    const sine = Math.sin(toRadians(latitude));
    const flat = 1 - eccentricity2 * sine * sine;
    // The radii of curvature along the meridian and across it.
    this.perLatitude = toRadians((radius * (1 - eccentricity2)) / flat ** 1.5);
    this.perLongitude = toRadians((radius / Math.sqrt(flat)) * Math.cos(toRadians(latitude)));
  }

  place(latitude: number, longitude: number): Place {
    return {
      x: between(this.longitude, longitude) * this.perLongitude,
      y: (latitude - this.latitude) * this.perLatitude,
    };
  }
}
