import { AmbientLight, Box3, Color, DirectionalLight, Group, Scene, Vector3, WebGLRenderer } from "three";
import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneFeed } from "@/components/recording/thread/scene-feed";
import { add, invert, rotate, type Vector } from "@/engine/messages/pose";
import { disposeDrawing, drawFigures } from "./figure-drawing";
import { FrameAxes, type LabelColours } from "./frame-axes";
import { GroundGrid } from "./grid-drawing";
import { toEdges, type PixelBox, type SeenBox } from "./isolation";
import { MeshStore } from "./mesh-store";
import { fieldOfView, OrbitCamera } from "./orbit-camera";
import { pickScene } from "./pick-scene";
import { SceneCamera } from "./scene-camera";
import type { ScenePick, SceneReport } from "./scene-report";
import type { SceneSettings, SceneTheme } from "./scene-settings";
import { SceneWorld } from "./scene-world";

/** Pixels of the page, and of the canvas for each of them. */
export interface SceneSize {
  width: number;
  height: number;
  ratio: number;
}

/** Draws a scene into a canvas of this thread; only when something changed. Throws when the browser has no WebGL. */
export class SceneView {
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly meshes: MeshStore;
  private readonly world: SceneWorld;
  private readonly orbit = new OrbitCamera();
  private readonly camera = new SceneCamera();
  private readonly ground = new GroundGrid();
  private readonly axes = new FrameAxes();
  private readonly measure = new Group();
  private size: SceneSize;
  private settings: SceneSettings | null = null;
  private labelColours: LabelColours = { text: "#888", ground: "#000" };
  private drawnPoints = 0;
  /** The moment that the camera was placed for, and how many layers were seen then; null before. */
  private fitted: { moment: bigint | null; layers: number } | null = null;
  /** Whether a person has chosen where to look. */
  private isTouched = false;
  isMoving = false;

  /** `meshThread`: the address of the script that reads meshes; `onChange`: something is to be drawn again. */
  constructor(canvas: OffscreenCanvas, size: SceneSize, meshThread: string, onChange: () => void) {
    this.meshes = new MeshStore(meshThread, () => {
      this.world.updateMeshes();
      // What the first picture could not show yet belongs to what is looked at.
      if (this.meshes.isIdle && !this.isTouched) this.fitted = null;
      onChange();
    });
    this.world = new SceneWorld(this.meshes);
    // Without antialiasing: it takes most of the time where the processor draws.
    this.renderer = new WebGLRenderer({ canvas, antialias: false });
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(-1, -2, 4);
    this.axes.group.visible = false;
    this.scene.add(
      this.world.root,
      this.ground.lines,
      this.axes.group,
      this.measure,
      sun,
      new AmbientLight(0xffffff, 1.4),
    );
    this.size = size;
    this.resize(size);
  }

  take(feed: SceneFeed): void {
    this.world.take(feed);
  }

  resize(size: SceneSize): void {
    this.size = size;
    const [width, height] = [
      Math.max(1, Math.round(size.width * size.ratio)),
      Math.max(1, Math.round(size.height * size.ratio)),
    ];
    this.renderer.setSize(width, height, false);
    if (this.settings) this.world.configure(this.settings, size.ratio);
  }

  configure(settings: SceneSettings): void {
    this.settings = settings;
    this.orbit.isTop = settings.isTop;
    this.axes.group.visible = settings.showFrames;
    this.world.configure(settings, this.size.ratio);
  }

  paint(theme: SceneTheme): void {
    this.scene.background = toColour(theme.background);
    const { material } = this.ground.lines;
    material.color = toColour(theme.grid);
    this.labelColours = { text: theme.text, ground: theme.background };
    this.axes.clear();
  }

  /** Looks for the files of meshes in a robot's description. */
  setRobot(robot: RobotFiles | null): void {
    this.meshes.setRobot(robot);
  }

  turn(dx: number, dy: number): void {
    this.isTouched = true;
    this.orbit.turn(dx, dy);
  }

  look(azimuth: number, elevation: number): void {
    this.isTouched = true;
    this.orbit.look(azimuth, elevation);
  }

  pan(dx: number, dy: number): void {
    this.isTouched = true;
    this.orbit.pan(dx, dy, this.size.height);
  }

  zoom(factor: number): void {
    this.isTouched = true;
    this.orbit.zoom(factor);
  }

  /** Looks at everything that is drawn. */
  fit(): void {
    this.world.place(false);
    this.world.root.updateMatrixWorld(true);
    const box = new Box3();
    const seen = this.listSeen();
    for (const entries of seen) {
      for (const { drawing, cloud } of entries) {
        if (cloud)
          for (const corner of cloud.corners())
            box.expandByPoint(new Vector3(...corner).applyMatrix4(drawing.matrixWorld));
        else box.expandByObject(drawing);
      }
    }
    if (box.isEmpty()) return;
    const [middle, extent] = [box.getCenter(new Vector3()), box.getSize(new Vector3())];
    const frame = invert(this.world.locateCamera());
    const target = add(frame.position, rotate(frame.orientation, middle.toArray()));
    this.orbit.fit(target, Math.max(0.5, extent.length() / 2), this.size.width / Math.max(1, this.size.height));
    this.fitted = { moment: this.world.moment, layers: seen.length };
  }

  /** What is drawn of each layer of which something is. */
  private listSeen() {
    return [...this.world.layers.values()].flatMap((layer) => {
      const entries = layer.group.visible ? layer.list().filter(({ drawing }) => drawing.visible) : [];
      return entries.length > 0 ? [entries] : [];
    });
  }

  /** Whether the camera is to be placed: nobody did, and what is seen of a moment arrives layer by layer. */
  private isUnfitted(): boolean {
    const { fitted, world } = this;
    if (fitted === null) return world.moment !== null;
    return !this.isTouched && fitted.moment === world.moment && this.listSeen().length > fitted.layers;
  }

  /** Returns the point that it looks at. */
  private placeCamera(): Vector {
    const { orbit, camera, size, world } = this;
    return camera.place(orbit, world.locateCamera(), size.width / Math.max(1, size.height));
  }

  draw(): void {
    const { world, orbit, camera, size } = this;
    this.drawnPoints = world.place(this.isMoving);
    if (this.isUnfitted()) this.fit();
    const target = this.placeCamera();
    const height = orbit.getHeight();
    this.ground.update(target[0], target[1], height);
    if (this.axes.group.visible) {
      const share = 13 / Math.max(1, size.height);
      const label = orbit.isTop ? share * height : share * 2 * Math.tan((fieldOfView * Math.PI) / 360);
      this.axes.update(world, height / 14, label, this.labelColours);
    }
    this.renderer.render(this.scene, camera.camera);
  }

  /** What is at a place of the page's pixels, for the camera as it was moved last, also before that is drawn. */
  pick(x: number, y: number): ScenePick | null {
    this.placeCamera();
    this.scene.updateMatrixWorld(true);
    return pickScene(this.world.layers.values(), this.camera, {
      x,
      y,
      width: this.size.width,
      height: this.size.height,
    });
  }

  /** What a rectangle of the page's pixels shows of the scene, as it was drawn last. */
  see(box: PixelBox): SeenBox {
    return { toPicture: this.camera.toPicture, ...toEdges(box, this.size.width, this.size.height) };
  }

  /** Hides the points outside one of the boxes; shows all without one. */
  isolate(boxes: readonly SeenBox[]): void {
    this.world.boxes = boxes;
  }

  /** How many of the visible points are inside a rectangle of the page's pixels. */
  countInside(box: PixelBox): number {
    const boxes = [...this.world.boxes, this.see(box)];
    let count = 0;
    for (const layer of this.world.layers.values())
      for (const { cloud, drawing } of layer.group.visible ? layer.list() : [])
        if (cloud && drawing.visible) count += cloud.listInside(boxes).length;
    return count;
  }

  /** Draws a line through places of the fixed frame. */
  showMeasure(places: readonly Vector[]): void {
    for (const child of [...this.measure.children]) {
      this.measure.remove(child);
      disposeDrawing(child);
    }
    const colour = [1, 0.55, 0.1, 1] as const;
    const pose = { position: [0, 0, 0], orientation: [0, 0, 0, 1] } as const;
    const width = this.orbit.getHeight() / 80;
    const dots = places.map((position) => ({
      kind: "sphere" as const,
      size: [width, width, width] as const,
      colour,
      pose: { position, orientation: pose.orientation },
    }));
    const line = { kind: "line" as const, points: new Float32Array(places.flat()), colours: null, colour, pose };
    if (places.length > 0) this.measure.add(drawFigures([...dots, line]));
  }

  report(): SceneReport {
    const { world } = this;
    return {
      moment: world.moment,
      layers: [...world.layers.values()].filter(({ group }) => group.visible).map((layer) => layer.report()),
      found: [...world.layers.keys()],
      frames: world.tree.list(),
      problems: world.listProblems(),
      fixedFrame: world.fixedFrame,
      followFrame: world.followFrame,
      drawnPoints: this.drawnPoints,
    };
  }

  close(): void {
    for (const layer of this.world.layers.values()) layer.dispose();
    this.meshes.close();
    this.renderer.dispose();
    // Browsers allow about sixteen of them.
    this.renderer.forceContextLoss();
  }
}

/** A colour of the page's style sheet, in any form, as three has it. */
function toColour(style: string): Color {
  const [red = 0, green = 0, blue = 0] = readPixel(style);
  return new Color().setRGB(red / 255, green / 255, blue / 255, "srgb");
}

function readPixel(style: string): Uint8ClampedArray {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  if (!context) return new Uint8ClampedArray(4);
  context.fillStyle = style;
  context.fillRect(0, 0, 1, 1);
  return context.getImageData(0, 0, 1, 1).data;
}
