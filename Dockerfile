# The image contains what the production build needs at run time, and no tools; data is in the volume /data.
ARG BASE=node:22-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
# The secret is an .npmrc for a registry of your own: docker build --secret id=npmrc,src=.npmrc
RUN --mount=type=secret,id=npmrc NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm ci --ignore-scripts --include=dev
COPY . .
# What `muster --version` says, since the context has no git: docker build --build-arg COMMIT=$(git rev-parse --short=12 HEAD)
ARG COMMIT=
# Node 22 decompresses zstd itself; with an older base that has a compiler, zstd-napi does.
RUN MUSTER_COMMIT=$COMMIT node scripts/bootstrap.mjs && node scripts/native-zstd.mjs && node scripts/runtime-files.mjs /out

FROM ${BASE}
WORKDIR /app
COPY --from=build /out ./
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_ARENA_MAX=1 NEXT_TELEMETRY_DISABLED=1
EXPOSE 3000
VOLUME /data
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/main.mjs"]
