import { describeApi } from "@/server/composition/openapi";
import { registry } from "@/server/composition/rest-registry";
import { findLinkedPicture } from "@/server/features/captures/message-pictures-service";
import { pictureLinkPath } from "@/server/features/captures/picture-link";
import { findCapturedPicture } from "@/server/features/captures/service";
import { openOwnCut } from "@/server/features/cuts/download";
import { findItemMedia } from "@/server/features/datasets/item-media-service";
import { findFilmMedia } from "@/server/features/filmstrips/service";
import { selectReported } from "@/server/features/membership/change-audience-service";
import { readMomentFrame, readStageFrame } from "@/server/features/moments/frame-service";
import { readVideoFrame } from "@/server/features/recordings/frame-service";
import { findRecordingMedia } from "@/server/features/recordings/pack-service";
import { findRobotFileMedia } from "@/server/features/robot-descriptions/media-service";
import { openGrantedCut } from "@/server/features/shares/download";
import { stillLinkPath } from "@/server/features/shares/link";
import { findLinkedStill } from "@/server/features/shares/stills-service";
import { findSignalMedia } from "@/server/features/stored-signals/media";
import { filesRouter } from "@/server/transport/files/files-router";
import { linkedPictureRouter } from "@/server/transport/files/linked-picture-router";
import { cutRouter } from "@/server/transport/media/cut-router";
import { frameRouter } from "@/server/transport/media/frame-router";
import { itemRouter } from "@/server/transport/media/item-router";
import { mediaRouter } from "@/server/transport/media/media-router";
import { pictureRouter } from "@/server/transport/media/picture-router";
import { robotRouter } from "@/server/transport/media/robot-router";
import { defaultMaxBodyBytes } from "@/server/transport/rest/body";
import { restRouter } from "@/server/transport/rest/router";
import { changesRouter } from "@/server/transport/sse/changes-stream";

/**
 * The fetch handler of everything that Next does not serve (REST API, changes, files, media): mounted by the web server and by
 * Next's catch-all route, and called by tests.
 */
export const app = restRouter(registry, describeApi)
  .route("/", changesRouter(selectReported))
  .route("/", linkedPictureRouter(pictureLinkPath, findLinkedPicture))
  .route("/", linkedPictureRouter(stillLinkPath, findLinkedStill))
  .route("/", cutRouter({ open: openOwnCut, openLink: openGrantedCut }))
  .route("/", filesRouter)
  .route("/", robotRouter(findRobotFileMedia))
  .route("/", pictureRouter({ alerts: findCapturedPicture }))
  .route("/", itemRouter(findItemMedia))
  .route("/", frameRouter({ recordings: readVideoFrame, moments: readMomentFrame, stages: readStageFrame }))
  .route("/", mediaRouter({ recordings: findRecordingMedia, signals: findSignalMedia, filmstrips: findFilmMedia }));

/** The largest body in bytes that any operation accepts; the HTTP server refuses larger ones before routing. */
export const maxBodyBytes = Math.max(defaultMaxBodyBytes, ...registry.map((endpoint) => endpoint.maxBodyBytes ?? 0));
