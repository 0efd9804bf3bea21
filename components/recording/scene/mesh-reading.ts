import {
  type BufferAttribute,
  BufferGeometry,
  DataTextureLoader,
  type InterleavedBufferAttribute,
  LoadingManager,
  type Material,
  Mesh,
  type Object3D,
  RepeatWrapping,
  Texture,
  TextureLoader,
} from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { GLTFLoader, type GLTFParser } from "three/examples/jsm/loaders/GLTFLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import type { MeshPart } from "@/components/recording/thread/mesh-parts";
import { fromBase64 } from "@/engine/bytes";
import type { MeshFormat } from "@/engine/robots/robot-files";
import { provideDocument } from "./collada-document";
import { describeMaterial, readMtl, readTexture, unknownMaterial, type FindFile } from "./mesh-material";

const maxTriangles = 5_000_000;

/** Why a mesh cannot be drawn; `message` is safe to show to users. */
class UnreadableMesh extends Error {
  override readonly name = "UnreadableMesh";
}

provideDocument();
// The reader of COLLADA asks for pictures while it parses: they are read afterwards, by the name that it asked for.
const promise = (name: string): Texture => Object.assign(new Texture(), { name });
Object.assign(TextureLoader.prototype, { load: promise });
Object.assign(DataTextureLoader.prototype, { load: promise });

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const startsWith = (bytes: Uint8Array, text: string): boolean => toText(bytes.subarray(0, text.length)) === text;

/** The format of bytes without a name. */
export function guessFormat(bytes: Uint8Array): MeshFormat {
  if (startsWith(bytes, "glTF")) return "glb";
  const begin = toText(bytes.subarray(0, 200)).trimStart();
  if (begin.startsWith("{")) return "gltf";
  if (begin.startsWith("<")) return "dae";
  return /^(#|v|o|g|mtllib)\s/.test(begin) ? "obj" : "stl";
}

/** Reads a mesh; files that it refers to come from `find`, and from nowhere else. Throws with the reason when it is none. */
export async function readMesh(
  bytes: Uint8Array<ArrayBuffer>,
  format: MeshFormat,
  find: FindFile,
): Promise<MeshPart[]> {
  let root: Object3D;
  try {
    root = await readers[format](bytes, find);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^THREE\.\w+: /, "") : String(error);
    throw new UnreadableMesh(error instanceof UnreadableMesh ? reason : `it cannot be read as ${format}: ${reason}`);
  }
  const parts = toParts(root);
  if (parts.length === 0) throw new UnreadableMesh("it holds no triangles");
  return parts;
}

type Read = (bytes: Uint8Array<ArrayBuffer>, find: FindFile) => Object3D | Promise<Object3D>;

const readers: Readonly<Record<MeshFormat, Read>> = {
  stl: readStl,
  obj: readObj,
  dae: readCollada,
  gltf: readGltf,
  glb: readGltf,
};

const toBuffer = (bytes: Uint8Array<ArrayBuffer>): ArrayBuffer =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;

function readStl(bytes: Uint8Array<ArrayBuffer>): Object3D {
  const isText = /^[^]{0,4}solid/.test(toText(bytes.subarray(0, 9)));
  const declared = bytes.length >= 84 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true) : null;
  if (isText && declared === null) throw new UnreadableMesh("it holds no triangles");
  if (!isText) {
    if (declared === null) throw new UnreadableMesh("it is too short for an STL");
    checkCount(declared);
    if (84 + declared * 50 > bytes.length)
      throw new UnreadableMesh(
        `it says ${declared.toLocaleString("en")} triangles, but holds ${Math.floor((bytes.length - 84) / 50).toLocaleString("en")}`,
      );
  }
  return new Mesh(new STLLoader().parse(toBuffer(bytes)), unknownMaterial);
}

async function readObj(bytes: Uint8Array<ArrayBuffer>, find: FindFile): Promise<Object3D> {
  const text = toText(bytes);
  const group = new OBJLoader().parse(text);
  const materials = new Map<string, Material>();
  for (const [, name = ""] of text.matchAll(/^mtllib\s+(.+?)\s*$/gm)) {
    const file = await find(name);
    for (const [key, material] of file ? await readMtl(toText(file), find) : []) materials.set(key, material);
  }
  replaceMaterials(group, ({ name }) => materials.get(name) ?? unknownMaterial);
  return group;
}

function replaceMaterials(root: Object3D, replace: (material: Material) => Material): void {
  root.traverse((object) => {
    if (!(object instanceof Mesh)) return;
    const own = object.material as Material | Material[];
    object.material = Array.isArray(own) ? own.map(replace) : replace(own);
  });
}

/** What three read of a COLLADA file, as far as it is needed. */
interface ColladaLibrary {
  materials?: Record<string, { build?: Material }>;
}

async function readCollada(bytes: Uint8Array<ArrayBuffer>, find: FindFile): Promise<Object3D> {
  const text = toText(bytes);
  if (!/<COLLADA[\s>]/.test(text)) throw new UnreadableMesh("it is no COLLADA");
  const read = new ColladaLoader().parse(text, "") as { scene: Object3D; library: ColladaLibrary } | null;
  if (!read) throw new UnreadableMesh("it holds no scene");
  const { scene, library } = read;
  // The unit counts; its upward axis does not, as in RViz: descriptions are made to fit there.
  scene.rotation.set(0, 0, 0);
  const own = new Set(Object.values(library.materials ?? {}).map(({ build }) => build));
  // What names none of its materials gets one of the reader's.
  replaceMaterials(scene, (material) => (own.has(material) ? material : unknownMaterial));
  const pictures = new Map<string, Promise<Texture | null>>();
  for (const material of listMaterials(scene)) {
    const name = material.map?.name;
    if (name === undefined) continue;
    const picture = pictures.get(name) ?? find(name).then((file) => readTexture(file, true));
    pictures.set(name, picture);
    const texture = await picture;
    if (texture) texture.wrapS = texture.wrapT = RepeatWrapping;
    material.map = texture;
  }
  return scene;
}

function listMaterials(root: Object3D): { map?: Texture | null }[] {
  const found = new Set<{ map?: Texture | null }>();
  root.traverse((object) => {
    if (object instanceof Mesh) for (const each of [object.material as unknown].flat()) found.add(each as object);
  });
  return [...found];
}

async function readGltf(bytes: Uint8Array<ArrayBuffer>, find: FindFile): Promise<Object3D> {
  const manager = new LoadingManager();
  manager.setURLModifier(() => {
    throw new UnreadableMesh("it refers to what is not in the description");
  });
  const loader = new GLTFLoader(manager);
  loader.register((parser) => {
    takeFiles(parser, find);
    return { name: "files" };
  });
  const { scene } = await loader.parseAsync(toBuffer(bytes), "");
  return scene;
}

/** Buffers and pictures come from the files beside, or from the glTF itself; nothing is requested from elsewhere. */
function takeFiles(parser: GLTFParser, find: FindFile): void {
  const load = async (uri: string): Promise<Uint8Array<ArrayBuffer>> => {
    const inline = /^data:[^,]*;base64,/.exec(uri);
    if (inline) return fromBase64(uri.slice(inline[0].length));
    const file = await find(uri);
    if (file === null) throw new UnreadableMesh(`its file ${uri.slice(0, 80)} is missing`);
    return file;
  };
  const json = parser.json as {
    buffers?: { uri?: string }[];
    images?: { uri?: string; bufferView?: number }[];
    textures?: { sampler?: number }[];
    samplers?: { wrapS?: number; wrapT?: number }[];
  };
  const loadOwn = parser.loadBuffer.bind(parser);
  parser.loadBuffer = async (index) => {
    const uri = json.buffers?.[index]?.uri;
    return uri === undefined ? loadOwn(index) : toBuffer(await load(uri));
  };
  parser.loadTextureImage = async (index, source) => {
    const image = json.images?.[source];
    const sampler = json.samplers?.[json.textures?.[index]?.sampler ?? -1];
    const picture =
      image?.uri !== undefined
        ? await load(image.uri).catch(() => null)
        : new Uint8Array((await parser.getDependency("bufferView", image?.bufferView ?? -1)) as ArrayBuffer);
    const texture = (await readTexture(picture, false)) ?? new Texture();
    // What GL numbers so, three does too but for its names.
    texture.wrapS = sampler?.wrapS === 33_071 ? 1001 : sampler?.wrapS === 33_648 ? 1002 : RepeatWrapping;
    texture.wrapT = sampler?.wrapT === 33_071 ? 1001 : sampler?.wrapT === 33_648 ? 1002 : RepeatWrapping;
    return texture;
  };
}

function checkCount(triangles: number): void {
  if (triangles > maxTriangles)
    throw new UnreadableMesh(`it has ${triangles.toLocaleString("en")} triangles; at most 5,000,000 are drawn`);
}

/** All triangles below an object, where its transforms put them. */
function toParts(root: Object3D): MeshPart[] {
  const parts: MeshPart[] = [];
  let triangles = 0;
  root.updateMatrixWorld(true);
  root.traverse((object) => {
    if (!(object instanceof Mesh) || !object.visible) return;
    const geometry: BufferGeometry = object.geometry;
    if (geometry.getAttribute("position") === undefined) return;
    triangles += (geometry.index?.count ?? geometry.getAttribute("position").count) / 3;
    checkCount(Math.floor(triangles));
    parts.push(...splitMesh(geometry, [object.material as Material | Material[]].flat(), object));
  });
  return parts;
}

function splitMesh(geometry: BufferGeometry, materials: readonly Material[], { matrixWorld }: Object3D): MeshPart[] {
  const own = new BufferGeometry();
  for (const name of ["position", "normal", "uv", "color"]) {
    const attribute = geometry.getAttribute(name) as BufferAttribute | InterleavedBufferAttribute | undefined;
    if (attribute) own.setAttribute(name, attribute.clone() as BufferAttribute);
  }
  own.setIndex(geometry.index);
  own.applyMatrix4(matrixWorld);
  if (own.getAttribute("normal") === undefined) own.computeVertexNormals();
  const positions = readAttribute(own, "position", 3);
  if (positions === null || positions.length === 0) return [];
  if (!positions.every((number) => Number.isFinite(number)))
    throw new UnreadableMesh("coordinates of its corners are no numbers");
  const shared = {
    positions,
    normals: readAttribute(own, "normal", 3) ?? new Float32Array(positions.length),
    uvs: readAttribute(own, "uv", 2),
    colours: readAttribute(own, "color", 4),
  };
  const count = own.index?.count ?? positions.length / 3;
  const groups = geometry.groups.length > 0 && materials.length > 1 ? geometry.groups : [{ start: 0, count }];
  return groups.flatMap((group): MeshPart[] => {
    const look = describeMaterial(materials["materialIndex" in group ? (group.materialIndex ?? 0) : 0]);
    const isWhole = groups.length === 1;
    const end = Math.min(count, group.start + group.count);
    const indices =
      own.index === null && isWhole
        ? null
        : Uint32Array.from({ length: Math.max(0, end - group.start) }, (_, at) =>
            own.index ? own.index.getX(group.start + at) : group.start + at,
          );
    if (indices?.some((index) => index >= positions.length / 3))
      throw new UnreadableMesh("its triangles name corners that it does not have");
    const copied = isWhole ? shared : copyAttributes(shared);
    return indices?.length === 0 ? [] : [{ ...copied, indices, ...look }];
  });
}

type Attributes = Pick<MeshPart, "positions" | "normals" | "uvs" | "colours">;

/** Parts are handed to another thread, each with memory of its own. */
const copyAttributes = ({ positions, normals, uvs, colours }: Attributes): Attributes => ({
  positions: positions.slice(),
  normals: normals.slice(),
  uvs: uvs?.slice() ?? null,
  colours: colours?.slice() ?? null,
});

/** The numbers of an attribute, `width` for each corner: opacity is 1 where it has none. */
function readAttribute(geometry: BufferGeometry, name: string, width: number): Float32Array<ArrayBuffer> | null {
  const attribute = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (attribute === undefined) return null;
  const numbers = new Float32Array(attribute.count * width);
  for (let at = 0; at < attribute.count; at++) {
    for (let part = 0; part < width; part++)
      numbers[at * width + part] = part < attribute.itemSize ? attribute.getComponent(at, part) : 1;
  }
  return numbers;
}
