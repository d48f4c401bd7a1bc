#!/bin/sh
# Starts Bridge Inspector. Which words these are is decided here, before Chromium starts: a command opens no window, and Chromium then gets the
# switches that it needs without a display, as root and in a container. It draws no page, so its sandbox would have nothing to hold.
folder=$(dirname "$(readlink -f "$0")")/../lib/bridge-inspector
before=
chosen=
for word; do
  case $before in
    @VALUE_FLAGS@) ;;
    *)
      case $word in
        open) break ;;
        @COMMANDS@ | help | --help | --version | -V)
          exec "$folder/bridge-inspector" --ozone-platform=headless --disable-gpu --no-sandbox --log-level=3 "$@"
          ;;
      esac
      ;;
  esac
  before=$word
done
for word; do
  case $word in
    --no-sandbox | --ozone-platform=*) chosen="$chosen $word" ;;
  esac
done
case $chosen in
  *--no-sandbox*) ;;
  *)
    if [ "$(id -u)" = 0 ]; then
      echo 'ROOT: Bridge Inspector opens no window as root, where Chromium has no sandbox. Commands work: bridge-inspector help' >&2
      exit 1
    fi
    ;;
esac
case $chosen in
  *--ozone-platform=*) ;;
  *)
    if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
      echo 'NO_DISPLAY: There is no display to open a window on. Commands work without one: bridge-inspector help' >&2
      exit 1
    fi
    ;;
esac
exec "$folder/bridge-inspector" "$@"
