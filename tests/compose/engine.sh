#!/usr/bin/env bash
# A Docker engine that nobody else uses, with stand-ins for the two public images
# where no registry of images is reached: `engine.sh start|stop FOLDER`. As root,
# on Debian; it installs docker.io, docker-compose and debootstrap if they are
# not here. Then: export DOCKER_HOST=unix://FOLDER/docker.sock
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

verb=${1:-} folder=${2:-}
[[ -n $folder && $verb =~ ^(start|stop)$ ]] || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
export DOCKER_HOST=unix://$folder/docker.sock DOCKER_BUILDKIT=0

if [[ $verb == stop ]]; then
    [[ ! -f $folder/pid ]] || kill "$(cat "$folder/pid")"
    exit 0
fi

for program in dockerd docker-compose debootstrap; do
    command -v "$program" >/dev/null && continue
    command -v apt-get >/dev/null || exit 1
    apt-get install -y -qq docker.io docker-compose debootstrap >/dev/null 2>&1 || exit 1
done

if ! docker info >/dev/null 2>&1; then
    dockerd --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" --host "$DOCKER_HOST" \
        >"$folder/log" 2>&1 &
    for ((tries = 0; tries < 60; tries++)); do
        docker info >/dev/null 2>&1 && break
        sleep 0.5
    done
    docker info >/dev/null 2>&1 || { tail -5 "$folder/log" >&2; exit 1; }
fi

tag=$(sed -n 's|.*image: \(envoyproxy/envoy:.*\)|\1|p' envoy/docker-compose.yaml)
if docker image inspect "$tag" >/dev/null 2>&1 && docker image inspect debian:stable-slim >/dev/null 2>&1; then
    exit 0
fi
# The public images, where they can be had.
if timeout 20 docker pull --quiet "$tag" >/dev/null 2>&1 &&
    timeout 60 docker pull --quiet debian:stable-slim >/dev/null 2>&1; then
    exit 0
fi
echo "test-compose: no registry of images here; Debian and Envoy are put into images made here" >&2
mirror=$(grep -hm1 '^URIs:' /etc/apt/sources.list.d/debian.sources | awk '{print $2}')
debootstrap --variant=minbase bookworm "$folder/root" "$mirror" >"$folder/debootstrap.log" 2>&1
tar -C "$folder/root" -c . | docker import - debian:stable-slim >/dev/null
rm -rf "$folder/root"

mkdir -p "$folder/image"
cp "$(.ci/envoy)" "$folder/image/envoy"
cat >"$folder/image/docker-entrypoint.sh" <<'S'
#!/usr/bin/env sh
set -e
if [ "${1#-}" != "$1" ]; then set -- envoy "$@"; fi
if [ "$1" = envoy ] && [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid 101 --regid 101 --clear-groups "$@"
fi
exec "$@"
S
chmod 755 "$folder/image/docker-entrypoint.sh" "$folder/image/envoy"
cat >"$folder/image/Dockerfile" <<'D'
FROM debian:stable-slim
RUN groupadd -g 101 envoy && useradd -u 101 -g 101 -M -s /usr/sbin/nologin envoy && mkdir -p /etc/envoy
COPY envoy /usr/local/bin/envoy
COPY docker-entrypoint.sh /
ENTRYPOINT ["/docker-entrypoint.sh"]
CMD ["envoy", "-c", "/etc/envoy/envoy.yaml"]
D
docker build --quiet --tag "$tag" "$folder/image" >/dev/null
