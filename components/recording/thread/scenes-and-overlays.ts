/** What the recording's thread loads with the first 3-D view, or the first drawing over a picture. */
export { CloudOverlay } from "./cloud-overlay";
export { FrameLocator } from "./frame-locator";
export { readOverlays } from "./picture-overlays";
export { ScenePlayer } from "./scene-player";
