#!/bin/sh
# Crownhead @VERSION@ for Linux on x86-64. Unpacks itself once, then starts; see docs/download.md of its sources.
id=@ID@
sum=@SUM@
glibc=@GLIBC@
damaged="this file is damaged, or not all of it arrived: download it again"

fail() {
    printf 'crownhead: %s\n' "$*" >&2
    exit 2
}

# Prints the folder for programs that are unpacked below $1, if the user, and nobody else, can write there.
usable() {
    mkdir -p "${1%/*}" 2>/dev/null
    mkdir -m 700 "$1" 2>/dev/null
    [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && [ -w "$1" ]
}

unpack() {
    for parent in "$cache" "$temporary"; do
        usable "$parent" && new=$(mktemp -d "$parent/new-XXXXXX" 2>/dev/null) && break
        new=
    done
    [ -n "$new" ] || fail "no folder to unpack into, neither $cache nor $temporary: set TMPDIR to one that you can write"
    [ "$parent" = "$cache" ] || printf 'crownhead: cannot write to %s: unpacking into %s\n' "$cache" "$parent" >&2
    trap 'rm -rf "$new"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    case $(cat /proc/cpuinfo) in
        *" avx2 "*) ;;
        *) printf 'crownhead: this processor has no AVX2, so networks are slow: play material, or a level up to Strong\n' >&2 ;;
    esac
    [ ! -t 2 ] || printf 'crownhead: unpacking into %s, once\n' "$parent" >&2
    [ "$(tail -c +$((@HEADER@ + 1)) "$0" | head -c @BEGIN@ | sha256sum | head -c 64)" = "$sum" ] || fail "$damaged"
    at=@HEADER@
    while read -r size path; do
        mkdir -p "$new/${path%/*}" && tail -c +$((at + 1)) "$0" | head -c "$size" >"$new/$path" ||
            fail "cannot write to $new: expected 500 MB of free space"
        at=$((at + size))
    done <<FIRST
@FIRST@
FIRST
    chmod 755 "$new/bin/python3"
    said=$("$new/bin/python3" -I -S -c pass 2>&1) || case $? in
        126) fail "programs cannot be run from $parent: set XDG_CACHE_HOME to a folder on another file system" ;;
        *) fail "expected Linux with glibc $glibc or newer: use pip, or the wheels for offline installs ($said)" ;;
    esac
    said=$("$new/bin/python3" -I -S "$new/lib/unpack.py" "$0" "$at" "$new" 2>&1) || case $? in
        3) fail "$damaged" ;;
        *) fail "cannot unpack into $new: expected 500 MB of free space ($said)" ;;
    esac
    # Where the program would write it.
    [ -e "$parent/tablebase" ] || mv "$new/tablebase" "$parent" 2>/dev/null
    # Another first start may have been faster: with -T, mv never moves into its folder.
    mv -T "$new" "$parent/$id" 2>/dev/null || [ -e "$parent/$id/bin/python3" ] ||
        fail "cannot rename $new to $parent/$id"
    program=$parent/$id
    trap - EXIT INT TERM HUP
    rm -rf "$new"
}

case $(uname -s -m) in
    "Linux x86_64") ;;
    *) fail "expected Linux on x86-64, this is $(uname -s -m): use pip" ;;
esac
[ -e /proc/self/exe ] || fail "expected /proc to be mounted"
cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/crownhead
temporary=${TMPDIR:-/tmp}/crownhead-$(id -u)
program=
for parent in "$cache" "$temporary"; do
    if [ -O "$parent/$id" ] && [ -z "$program" ]; then program=$parent/$id; fi
done
[ -n "$program" ] || unpack
unset PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONINSPECT
export PYTHONNOUSERSITE=1
exec "$program/bin/python3" -P -m crownhead "$@"
