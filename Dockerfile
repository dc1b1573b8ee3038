# The control plane in an image: docker build --tag virga . See docs/packages.md.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run pack

FROM node:22-bookworm-slim
# Debian keeps only the newest of a version's packages, so that fixed ones would soon be gone.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends haproxy nginx libnginx-mod-stream iputils-ping iproute2 \
  && rm -rf /var/lib/apt/lists/*
# The command of the package, without that of the client.
RUN --mount=type=bind,from=build,source=/src/dist,target=/packages \
  npm install --global --no-audit --no-fund /packages/virga-[0-9]*.tgz \
  && npm cache clean --force \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data \
  && groupadd --gid 10001 virga \
  && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin virga
COPY packaging/health-check.mjs /usr/local/lib/virga/health-check.mjs
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 VIRGA_DATA_DIR=/data VIRGA_EDGE=off
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s --start-period=60s --retries=3 \
  CMD ["node", "/usr/local/lib/virga/health-check.mjs"]
ENTRYPOINT ["node", "--max-semi-space-size=32", "/usr/local/lib/node_modules/virga/server/dist/main.js"]
