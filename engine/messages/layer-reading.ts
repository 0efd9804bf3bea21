/** How a person chose that messages of a topic are read, where that decides what they show. */
export interface LayerReading {
  /** Of scans with several echoes of a beam: all of them, else the first. */
  allEchoes: boolean;
  /** Of odometry: its trail is coloured by speed. */
  bySpeed: boolean;
}

export const defaultReading: LayerReading = { allEchoes: false, bySpeed: true };
