// MapLibre's own thread, which reads tiles. It is served by us, so that pages need no worker of a made-up address.
import "maplibre-gl/dist/maplibre-gl-worker.mjs";
