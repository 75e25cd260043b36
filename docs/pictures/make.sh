#!/usr/bin/env bash
# Draws the pictures of docs/gallery.md anew from fixtures/. A test holds those in SVG to what the program draws; the
# photograph of the page needs chromium, and is taken with --photograph.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Names come from fixtures/ alone, not from what perf keeps in this user's home.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder

before=(fixtures/latencytop-before/perf.data fixtures/latencytop-before-r{2,3,4}/perf.data)
after=(fixtures/latencytop-after/perf.data fixtures/latencytop-after-r{2,3,4}/perf.data)

lockblame flame -q --min-width 0.2 "${before[@]}" -o docs/pictures/before.svg
lockblame flame -q --min-width 0.2 "${after[@]}" -o docs/pictures/after.svg
lockblame flame -q --min-width 0.2 --before "${before[@]}" --after "${after[@]}" -o docs/pictures/difference.svg
lockblame flame -q --min-width 0.5 --by callers fixtures/dup-before/perf.data -o docs/pictures/callers.svg

if [ "${1:-}" = --photograph ]; then
    lockblame html -q --before "${before[@]}" --after "${after[@]}" -o "$folder/page.html"
    "${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --no-first-run --hide-scrollbars \
        --user-data-dir="$folder/profile" --window-size=1200,1500 --screenshot=docs/pictures/page.png \
        "file://$folder/page.html" 2> /dev/null
fi
