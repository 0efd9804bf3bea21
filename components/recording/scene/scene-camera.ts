import { Matrix4, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import { add, rotate, type Pose, type Vector } from "@/engine/messages/pose";
import { fieldOfView, type OrbitCamera } from "./orbit-camera";

/** three's cameras, placed by an orbit camera that is seen from a frame. */
export class SceneCamera {
  private readonly perspective = new PerspectiveCamera(fieldOfView);
  private readonly flat = new OrthographicCamera();
  private active: PerspectiveCamera | OrthographicCamera = this.perspective;

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.active;
  }

  /** Places the camera. `frame` is where the orbit is seen from. Returns the point it looks at. */
  place(orbit: OrbitCamera, frame: Pose, aspect: number): Vector {
    const toWorld = (place: Vector): Vector => add(frame.position, rotate(frame.orientation, place));
    const camera = orbit.isTop ? this.flat : this.perspective;
    this.active = camera;
    const target = toWorld(orbit.target);
    camera.up.set(...rotate(frame.orientation, orbit.up));
    if (camera instanceof OrthographicCamera) {
      const half = orbit.getHeight() / 2;
      [camera.top, camera.bottom, camera.left, camera.right] = [half, -half, -half * aspect, half * aspect];
      [camera.near, camera.far] = [0.1, 20_000];
      const above = rotate(frame.orientation, [0, 0, 10_000]);
      camera.position.set(...add(target, above));
    } else {
      camera.aspect = aspect;
      camera.near = Math.max(0.01, orbit.distance / 100);
      camera.far = orbit.distance * 60 + 500;
      camera.position.set(...toWorld(orbit.position));
    }
    camera.lookAt(new Vector3(...target));
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld(true);
    return target;
  }

  /** From the scene to the picture, whose edges are at −1 and 1, by columns. */
  get toPicture(): number[] {
    const { projectionMatrix, matrixWorldInverse } = this.camera;
    return new Matrix4().multiplyMatrices(projectionMatrix, matrixWorldInverse).toArray();
  }

  /** The ray through a place of the picture; each from −1 to 1, y up. */
  cast(x: number, y: number): { origin: Vector3; direction: Vector3 } {
    const { camera } = this;
    const near = new Vector3(x, y, -1).unproject(camera);
    const far = new Vector3(x, y, 1).unproject(camera);
    return { origin: near, direction: far.sub(near).normalize() };
  }
}
